#include "dragoman/serve/http/message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "dragoman/base/utf8.h"
#include "dragoman/serve/http/escapes.h"

namespace dragoman::serve {
namespace {

// Removes everything before the path from "http://host/path": a client may send the whole URL, as it would to a proxy.
// False if there is no host.
bool take_host(std::string_view& target) {
  const std::size_t scheme = target.find("://");
  if (scheme == std::string_view::npos || scheme > target.find_first_of("/?")) return false;
  target.remove_prefix(std::min(target.size(), target.find_first_of("/?", scheme + 3)));
  return true;
}

// Decodes escapes. Empty if one is malformed or the text is not UTF-8.
std::optional<std::string> text_of(std::string_view part, Plus plus) {
  std::optional<std::string> text = percent_decoded(part, plus);
  if (text && first_invalid_utf8(*text)) return std::nullopt;
  return text;
}

// Replaces control characters: a line break in a value would start another header.
void add_header(std::string& text, std::string_view name, std::string_view value) {
  text += name;
  text += ": ";
  for (const char letter : value) text += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  text += "\r\n";
}

std::string head_text(int status, std::string_view content_type, const Headers& headers, const Delivery& how) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  std::string text = fmt::format("{}{} {}\r\n", kAnswerStart, status, std::string_view(reason.data(), reason.size()));
  add_header(text, "Date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))));
  if (!content_type.empty()) add_header(text, "Content-Type", content_type);
  for (const auto& [name, value] : headers) add_header(text, name, value);
  if (how.closes) add_header(text, "Connection", "close");
  if (how.http_1_0 && !how.closes) add_header(text, "Connection", "keep-alive");
  return text;
}

}  // namespace

Response refusal(int status, std::string_view message, int retry_seconds) {
  // Bytes that are not UTF-8, which the message may quote, become U+FFFD.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  Response response{.status = status,
                    .body = nlohmann::json({{"error", message}}).dump(-1, ' ', false, kReplace) + "\n"};
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", std::to_string(retry_seconds));
  return response;
}

std::optional<Target> parse_target(std::string_view text) {
  std::string_view rest = text;
  const bool has_host = take_host(rest);
  auto path = text_of(take_until(rest, "?"), Plus::kItself);
  if (has_host && path && path->empty()) path = "/";
  if (!path || (!path->starts_with('/') && *path != "*")) return std::nullopt;
  Target target{.path = std::move(*path), .query = {}};
  while (!rest.empty()) {
    std::string_view value = take_until(rest, "&");
    auto name = text_of(take_until(value, "="), Plus::kSpace);
    auto decoded = text_of(value, Plus::kSpace);
    if (!name || !decoded) return std::nullopt;
    if (!name->empty()) target.query[std::move(*name)] = std::move(*decoded);
  }
  return target;
}

std::string answer_text(const Response& response, const Delivery& how) {
  const bool bodiless = response.status == 204 || response.status == 304;
  std::string text = head_text(response.status, bodiless ? "" : response.content_type, response.headers, how);
  if (!bodiless) add_header(text, "Content-Length", std::to_string(response.body.size()));
  text += "\r\n";
  if (!bodiless && !how.head_only) text += response.body;
  return text;
}

std::string stream_head(const Headers& headers, const Delivery& how) {
  std::string text = head_text(200, "text/event-stream", headers, how);
  add_header(text, "Cache-Control", "no-store");
  add_header(text, "X-Accel-Buffering", "no");  // otherwise a proxy such as nginx holds events back
  if (!how.http_1_0) add_header(text, "Transfer-Encoding", "chunked");
  return text + "\r\n";
}

std::string stream_piece(std::string_view text, const Delivery& how) {
  if (text.empty()) return {};  // an empty chunk would end the stream
  return how.http_1_0 ? std::string(text) : fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

std::string stream_end(const Delivery& how) { return how.http_1_0 ? "" : "0\r\n\r\n"; }

std::string event_text(std::string_view name, std::string_view data) {
  std::string text;
  if (!name.empty()) text = fmt::format("event: {}\n", name.substr(0, name.find_first_of("\r\n")));
  std::size_t begin = 0;
  while (begin != std::string_view::npos) {
    const std::size_t end = data.find_first_of("\r\n", begin);
    text += "data: ";
    text += data.substr(begin, end - begin);
    text += '\n';
    begin = end;
    if (end != std::string_view::npos) begin += data.substr(end, 2) == "\r\n" ? 2 : 1;
  }
  return text + "\n";
}

}  // namespace dragoman::serve
