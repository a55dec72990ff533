// Reads one HTTP request from bytes as they arrive, within limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

class RequestReader {
 public:
  struct Limits {
    std::int64_t header_bytes, body_bytes;
  };
  enum class ReadState { kPartial, kWhole, kRefused };

  explicit RequestReader(const Limits& limits);
  ~RequestReader();

  // Continues to read, and removes the bytes that it has read from `bytes`. Must not be called again after kWhole or
  // kRefused.
  ReadState read(std::string& bytes);

  // Bytes of the request that have been read.
  std::int64_t held() const;

  // True once, if the client waits for "100 Continue" before it sends the body.
  bool asks_to_continue();

  // Method and path as far as they are known, for a request that is not complete.
  HttpRequest beginning() const;
  // Whether the method is HEAD, whose answers have no body. False if it is not known yet.
  bool is_head() const;
  // After kWhole. The caller fills in `client`.
  HttpRequest take_request();
  bool keep_alive() const;
  bool is_http_1_0() const;

  // After kRefused: the answer.
  const Response& refusal() const { return *refusal_; }

 private:
  struct Parser;

  void put(std::string& bytes);
  void accept_head();
  void refuse(int status, const std::string& message);

  Limits limits_;
  std::unique_ptr<Parser> parser_;
  std::int64_t head_bytes_ = 0;  // bytes of the first line and the headers that were read
  HttpRequest request_;
  bool expects_continue_ = false;
  std::optional<Response> refusal_;
};

}  // namespace dragoman::serve
