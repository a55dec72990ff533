#include "dragoman/serve/api/body.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/http/escapes.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kDeepest = 32;     // nested objects and arrays
constexpr std::size_t kMaxFields = 100;  // of an object; finding one takes time in proportion to their number

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// A parameter of a header, such as boundary in "multipart/form-data; boundary=x".
std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  take_until(header, ";");
  while (!header.empty()) {
    std::string_view value = trimmed(take_until(header, ";"));
    if (lower(trimmed(take_until(value, "="))) != name) continue;
    value = trimmed(value);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return std::nullopt;
}

void require_text(std::string_view text) { require_or(400, !first_invalid_utf8(text), "the body is not UTF-8 text."); }

void require_few_fields(std::size_t fields) {
  require_or(400, fields <= kMaxFields, "there are more than ", kMaxFields,
             " fields, the most that this server reads.");
}

// A field that comes several times becomes an array.
void add(Json& fields, const std::string& name, std::string value) {
  require_text(name);
  require_text(value);
  if (!fields.contains(name)) {
    fields[name] = std::move(value);
    require_few_fields(fields.size());
  } else if (fields[name].is_array()) {
    fields[name].push_back(std::move(value));
  } else {
    fields[name] = Json::array({fields[name], std::move(value)});
  }
}

// Refuses JSON with too many fields or levels before it is parsed, because parsing takes time in proportion to the
// square of the number of fields. Text that is not JSON may pass; the parser refuses it.
void require_simple(std::string_view json) {
  std::vector<std::size_t> fields;  // of each open object or array
  bool quoted = false;              // inside a string
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '[') fields.push_back(0);
    if ((c == '}' || c == ']') && !fields.empty()) fields.pop_back();
    if (c == ':' && !fields.empty()) require_few_fields(++fields.back());
    require_or(400, fields.size() <= kDeepest, "the body nests deeper than ", kDeepest, " levels.");
  }
}

// Parses without a callback: with one, the parser would look through a whole array after each object in it.
Json fields_of_json(const std::string& body) {
  require_text(body);
  require_simple(body);
  Json fields = try_parse_json(body);
  require_or(400, !fields.is_discarded(), "the body is not valid JSON.");
  require_or(400, fields.is_object(), "the body is JSON, but not an object with fields.");
  return fields;
}

std::string form_text(std::string_view text) {
  std::optional<std::string> decoded = percent_decoded(text, Plus::kSpace);
  require_or(400, decoded.has_value(), "the form has a '%' without two hexadecimal digits after it.");
  return *std::move(decoded);
}

Json fields_of_form(std::string_view body) {
  Json fields = Json::object();
  while (!body.empty()) {
    std::string_view value = take_until(body, "&");
    if (value.empty()) continue;
    const std::string name = form_text(take_until(value, "="));
    add(fields, name, form_text(value));
  }
  return fields;
}

// RFC 7578. A part is its headers, an empty line, and its content.
Json fields_of_multipart(std::string_view body, const std::string& boundary) {
  require_or(400, !boundary.empty() && boundary.size() <= 70,
             "the boundary of the multipart body is missing or too long.");
  const std::string separator = "\r\n--" + boundary;
  Json fields = Json::object();
  // The first boundary may be at the very beginning.
  if (body.starts_with("--" + boundary)) {
    body.remove_prefix(boundary.size() + 2);
  } else {
    take_until(body, separator);
  }
  while (body.starts_with("\r\n")) {
    body.remove_prefix(2);  // so that this line break is not taken for the one before the next boundary
    require_or(400, body.find(separator) != std::string_view::npos,
               "the last part of the body has no boundary after it.");
    std::string_view content = take_until(body, separator);
    std::string_view headers = content.starts_with("\r\n") ? std::string_view() : take_until(content, "\r\n\r\n");
    std::optional<std::string> name;
    while (!headers.empty()) {
      std::string_view header = take_until(headers, "\r\n");
      const std::string_view whole = header;
      if (lower(take_until(header, ":")) == "content-disposition") name = parameter(whole, "name");
    }
    require_or(400, name.has_value(), "a part of the body has no name.");
    add(fields, *name, std::string(content));
  }
  require_or(400, body.starts_with("--"), "the last boundary of the body does not end with '--'.");
  return fields;
}

Json fields_of_body(const HttpRequest& request) {
  const std::string_view type = request.header("content-type");
  const std::string kind = lower(trimmed(type.substr(0, type.find(';'))));
  if (request.body.empty()) return Json::object();
  const std::string encoding = lower(request.header("content-encoding"));
  require_or(415, encoding.empty() || encoding == "identity", "the body is encoded (", encoding,
             "); send it without encoding.");
  // A body without a content type is JSON if it looks like it, and else a form.
  if (kind == "application/json" || kind.ends_with("+json") || (kind.empty() && request.body.starts_with('{'))) {
    return fields_of_json(request.body);
  }
  if (kind == "application/x-www-form-urlencoded" || kind.empty()) return fields_of_form(request.body);
  if (kind == "multipart/form-data") return fields_of_multipart(request.body, parameter(type, "boundary").value_or(""));
  throw Refusal(415, join("the body is of type '", kind,
                          "'; send application/json, application/x-www-form-urlencoded or "
                          "multipart/form-data."));
}

}  // namespace

Json fields_of(const HttpRequest& request) {
  Json fields = fields_of_body(request);
  for (const auto& [name, value] : request.query) {
    if (!fields.contains(name)) add(fields, name, value);
  }
  return fields;
}

}  // namespace dragoman::serve
