#include "dragoman/serve/http/internal/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/dynamic_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <functional>
#include <string_view>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/serve/http/escapes.h"
#include "dragoman/serve/http/message.h"

namespace dragoman::serve {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// The shortest end of a chunked body is "0\r\n\r\n". Beast expects at least this many bytes whenever it continues to
// read a chunked body.
constexpr std::size_t kEndOfChunks = 5;

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

std::string upper(beast::string_view text) {
  std::string result(plain(text));
  for (char& letter : result) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
  return result;
}

// Whether this may be what comes before the data of a chunk: the line end of the chunk before it, unless it is the
// first, and a line that begins with the size of the chunk. The end may be missing.
bool may_begin_chunk(std::string_view bytes, bool is_first) {
  constexpr std::string_view kLineEnd = "\r\n", kDigits = "0123456789abcdefABCDEF", kAfterSize = "\r; \t";
  if (!is_first) {
    if (!bytes.starts_with(kLineEnd.substr(0, bytes.size()))) return false;
    bytes.remove_prefix(std::min(bytes.size(), kLineEnd.size()));
  }
  const std::size_t digits = bytes.find_first_not_of(kDigits);
  return digits == std::string_view::npos || (digits > 0 && kAfterSize.find(bytes[digits]) != std::string_view::npos);
}

}  // namespace

// The body grows as bytes arrive, whatever length is announced.
struct RequestReader::Parser : http::request_parser<http::basic_dynamic_body<beast::flat_buffer>> {
  Parser() { on_chunk_header(add_chunk_); }

  // Whether the bytes that follow are wrong where the next chunk must begin. Beast looks at the line with the size of a
  // chunk only when it is complete and kEndOfChunks bytes are there, which may never be.
  bool refuses_chunk(std::string_view bytes) const {
    if (!chunked() || is_done()) return false;
    const std::uint64_t rest_of_chunk = announced_ - get().body().size();
    return bytes.size() > rest_of_chunk && !may_begin_chunk(bytes.substr(rest_of_chunk), announced_ == 0);
  }

 private:
  std::uint64_t announced_ = 0;  // the sizes of all chunks that have begun
  std::function<void(std::uint64_t, beast::string_view, beast::error_code&)> add_chunk_ =
      [this](std::uint64_t size, auto&&...) { announced_ += size; };
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser_->body_limit(static_cast<std::uint64_t>(limits.body_bytes));
}

RequestReader::~RequestReader() = default;

RequestReader::ReadState RequestReader::read(std::string& bytes) {
  if (!parser_->is_header_done()) {
    // Some clients send an extra line break after a request.
    if (head_bytes_ == 0) bytes.erase(0, std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
    put(bytes);
    if (!refusal_ && parser_->is_header_done()) accept_head();
  }
  if (!refusal_ && parser_->is_header_done() && !parser_->is_done()) {
    if (!parser_->chunked() || bytes.size() >= kEndOfChunks) put(bytes);
    if (!refusal_ && parser_->refuses_chunk(bytes)) {
      refuse(400, "a chunk of the body does not begin with its size in hexadecimal digits.");
    }
  }
  if (refusal_) return ReadState::kRefused;
  return parser_->is_done() ? ReadState::kWhole : ReadState::kPartial;
}

void RequestReader::put(std::string& bytes) {
  if (bytes.empty()) return;
  const bool in_head = !parser_->is_header_done();
  beast::error_code error;
  const std::size_t count = parser_->put(boost::asio::buffer(bytes), error);
  bytes.erase(0, count);
  if (in_head) head_bytes_ += static_cast<std::int64_t>(count);
  if (error == http::error::need_more) error = {};
  // Beast limits the part of the headers that it has not parsed yet. We limit their total, and the lines between
  // chunks.
  const auto unread = static_cast<std::int64_t>(parser_->is_done() ? 0 : bytes.size());
  const bool in_chunks = !in_head && parser_->chunked();
  const std::int64_t head = head_bytes_ + (parser_->is_header_done() ? 0 : unread);
  const bool too_long = head > limits_.header_bytes || (in_chunks && unread > limits_.header_bytes);
  if (!error && too_long) error = http::error::header_limit;
  if (error == http::error::header_limit) {
    refuse(431, join("the headers are longer than ", limits_.header_bytes, " bytes, the most that this server reads."));
  } else if (error == http::error::body_limit) {
    refuse(413, join("the body is longer than ", limits_.body_bytes, " bytes, the most that this server reads."));
  } else if (error) {
    refuse(400, join("this is not a well-formed HTTP request (", error.message(), ")."));
  }
}

// Beast stops after the head. An eager parser then reads the body in one call.
void RequestReader::accept_head() {
  parser_->eager(true);
  const auto& head = parser_->get();
  const std::size_t hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && !is_http_1_0()))
    return refuse(400, "a request must have exactly one header Host; only HTTP/1.0 may leave it out.");
  if (is_http_1_0() && parser_->chunked())
    return refuse(400, "HTTP/1.0 has no chunked bodies; send the length of the body.");
  for (const auto& field : head) {
    if (field.name() == http::field::transfer_encoding && lower(plain(field.value())) != "chunked") {
      return refuse(501, "the only transfer encoding that this server reads is chunked.");
    }
    std::string& value = request_.headers[lower(plain(field.name_string()))];
    if (!value.empty()) value += ", ";  // several headers of the same name form one list
    value += plain(field.value());
  }
  const auto target = parse_target(plain(head.target()));
  if (!target)
    return refuse(400, "the URL of the request is malformed: its path or an escape is not valid, or it is not UTF-8.");
  request_.path = target->path;
  request_.query = target->query;
  request_.method = upper(head.method_string());
  expects_continue_ = !is_http_1_0() && lower(plain(head[http::field::expect])) == "100-continue";
}

// The parser knows the first line before it looks at the headers.
HttpRequest RequestReader::beginning() const {
  HttpRequest request;
  const auto& head = parser_->get();
  const auto target = parse_target(plain(head.target()));
  if (head.target().empty() || !target) return request;
  request.method = upper(head.method_string());
  request.path = target->path;
  return request;
}

std::int64_t RequestReader::held() const {
  return head_bytes_ + static_cast<std::int64_t>(parser_->get().body().size());
}

bool RequestReader::asks_to_continue() {
  const bool body_has_begun = parser_->get().body().size() > 0;
  return std::exchange(expects_continue_, false) && !body_has_begun;
}

HttpRequest RequestReader::take_request() {
  request_.body = beast::buffers_to_string(parser_->get().body().data());
  return std::move(request_);
}

bool RequestReader::keep_alive() const { return parser_->keep_alive(); }

bool RequestReader::is_head() const {
  const auto& head = parser_->get();
  return !head.target().empty() && upper(head.method_string()) == "HEAD";
}

bool RequestReader::is_http_1_0() const { return parser_->get().version() < 11; }

void RequestReader::refuse(int status, const std::string& message) { refusal_ = serve::refusal(status, message); }

}  // namespace dragoman::serve
