// HTTP messages as text: what an answer looks like when it is sent, and what a request's target means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// What every answer begins with, whatever it will be.
inline constexpr std::string_view kAnswerStart = "HTTP/1.1 ";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The answer that says in one sentence what was wrong: {"error": "..."}. Where trying again may help (429, 503), it
// says after how many seconds.
Response refusal(int status, std::string_view sentence, int retry_seconds = 1);

struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};

// The target of a request, decoded: "/a%20b?c=d+e" is the path "/a b" and the query c = "d e". Nothing if it does not
// begin with a slash (or is "*"), is not UTF-8, or if an escape is malformed or stands for a zero byte.
std::optional<Target> parse_target(std::string_view text);

// How an answer is sent, which depends on the request and on the connection.
struct Delivery {
  bool old = false;        // to a client of HTTP/1.0, which knows no chunks
  bool head_only = false;  // the request was HEAD
  bool closes = false;     // the connection ends with this answer
};

std::string answer_text(const Response& response, const Delivery& how);

// A stream of server-sent events: its head, then any number of pieces, then its end. Lines that begin with a colon are
// comments, which clients skip.
std::string stream_head(const Headers& headers, const Delivery& how);
std::string stream_piece(std::string_view text, const Delivery& how);
std::string stream_end(const Delivery& how);
std::string event_text(std::string_view name, std::string_view data);
inline constexpr std::string_view kEventComment = ":\n\n";

}  // namespace dragoman::serve
