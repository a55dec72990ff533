#include "dragoman/eval/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

#include "dragoman/base/error.h"

namespace dragoman::eval {

bool knows_unicode() { return true; }  // builds without ICU compile unicode_missing.cpp instead of this file

std::string lower_case(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece given(text.data(), static_cast<std::int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, given, sink, nullptr, status);
  require<Error>(U_SUCCESS(status) != 0, "cannot convert a line to lower case (", u_errorName(status), ").");
  return result;
}

CharacterKind kind_of(char32_t code) {
  const std::uint32_t category = U_GET_GC_MASK(static_cast<UChar32>(code));
  if ((category & U_GC_P_MASK) != 0) return CharacterKind::kPunctuation;
  if ((category & U_GC_S_MASK) != 0) return CharacterKind::kSymbol;
  return (category & U_GC_N_MASK) != 0 ? CharacterKind::kNumber : CharacterKind::kOther;
}

}  // namespace dragoman::eval
