// Fuzzes the reader of request bodies: for any bytes and any content type, the result is fields of UTF-8 text that can
// be queried, or the body is refused with a message. The first byte chooses the content type; with the last choice, the
// first line of the body is the type.
#include <iterator>
#include <string_view>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"
#include "dragoman/serve/api/body.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/http/escapes.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

constexpr std::string_view kTypes[] = {"application/json", "application/x-www-form-urlencoded",
                                       "multipart/form-data; boundary=x", "multipart/form-data; boundary=\"x y\"", ""};
constexpr std::int64_t kMax = 10;  // the most texts, and the largest number

// Whether `f` returns normally. It may throw a Refusal with a message, and nothing else.
template <class F>
bool returns(const F& f) {
  try {
    f();
    return true;
  } catch (const serve::Refusal& refusal) {
    check(refusal.status >= 400 && refusal.status < 500 && !std::string_view(refusal.what()).empty());
    return false;
  }
}

void check_text(const std::string& text) { check(!first_invalid_utf8(text)); }

void use(const Json& fields) {
  check(fields.is_object());
  check(Json::parse(serve::json_response(fields).body) == fields);
  returns([&] {
    const serve::Texts q = serve::texts_field(fields, kMax);
    check(static_cast<std::int64_t>(q.texts.size()) <= kMax);
    for (const std::string& text : q.texts) check_text(text);
  });
  for (const auto& [name, value] : fields.items()) {
    check_text(name);
    returns([&, &name = name] { check_text(serve::text_field(fields, name, "")); });
    returns([&, &name = name] {
      const std::int64_t number = serve::number_field(fields, name, 1, kMax);
      check(number >= 0 && number <= kMax);
    });
    returns([&, &name = name] { serve::bool_field(fields, name, true); });
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  std::string_view rest = fuzz::as_text(data, size);
  if (rest.empty()) return 0;
  const std::size_t kind = static_cast<unsigned char>(rest[0]) % (std::size(fuzz::kTypes) + 1);
  rest.remove_prefix(1);
  const std::string_view type = kind < std::size(fuzz::kTypes) ? fuzz::kTypes[kind] : serve::take_until(rest, "\n");
  serve::HttpRequest request;
  request.headers["content-type"] = type;
  request.body = rest;
  request.query = {{"q", "one"}, {"target", "de"}};
  Json fields;
  if (fuzz::returns([&] { fields = serve::fields_of(request); })) fuzz::use(fields);
  return 0;
}
