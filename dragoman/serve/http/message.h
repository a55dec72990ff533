// HTTP messages as text: how answers are written, and how the target of a request is parsed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// The first bytes of every answer, whatever its status.
inline constexpr std::string_view kAnswerStart = "HTTP/1.1 ";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// An answer that says in one sentence what was wrong: {"error": "..."}. With the statuses 429 and 503, where trying
// again may help, the header Retry-After has `retry_seconds`.
Response refusal(int status, std::string_view message, int retry_seconds = 1);

struct Target {
  std::string path;
  std::map<std::string, std::string> query;
};

// Decodes the target of a request: "/a%20b?c=d+e" is the path "/a b" and the query c = "d e". Empty if the target does
// not begin with a slash (or is "*"), is not UTF-8, or has an escape that is malformed or stands for a zero byte.
std::optional<Target> parse_target(std::string_view text);

// How an answer is sent. This depends on the request and on the connection.
struct Delivery {
  bool http_1_0 = false;   // the client speaks HTTP/1.0, which has no chunks
  bool head_only = false;  // the request was HEAD
  bool closes = false;     // the connection is closed after this answer
};

std::string answer_text(const Response& response, const Delivery& how);

// A stream of server-sent events: its head, then any number of pieces, then its end. event_text() is one event, to be
// sent as a piece. Clients skip lines that begin with a colon, so kEventComment is an event without effect.
std::string stream_head(const Headers& headers, const Delivery& how);
std::string stream_piece(std::string_view text, const Delivery& how);
std::string stream_end(const Delivery& how);
std::string event_text(std::string_view name, std::string_view data);
inline constexpr std::string_view kEventComment = ":\n\n";

}  // namespace dragoman::serve
