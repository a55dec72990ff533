#include "dragoman/health/line_check.h"

#include <algorithm>
#include <iterator>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::health {
namespace {

constexpr std::size_t kExcerptCharacters = 60, kCharactersBefore = 20;

// The characters of Windows-1252 for the bytes 0x80 to 0x9F; 0 for the five bytes without one.
constexpr char16_t kWindows1252[] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                     0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// The byte that was read as this character if the text was taken for Latin-1 or Windows-1252; 0 if there is none.
unsigned char byte_of(char32_t code) {
  if (code >= 0x80 && code <= 0xFF) return static_cast<unsigned char>(code);
  const auto* found = code == 0 ? std::end(kWindows1252) : std::ranges::find(kWindows1252, code);
  if (found == std::end(kWindows1252)) return 0;
  return static_cast<unsigned char>(0x80 + (found - std::begin(kWindows1252)));
}

// The character whose bytes were read as the characters at the start of `text`; 0 if there is none.
char32_t decoded_twice(std::string_view text) {
  std::string bytes;
  std::size_t at = 0, needed = 1;
  while (bytes.size() < needed && at < text.size()) {
    const unsigned char byte = byte_of(next_code_point(text, at));
    if (byte == 0) return 0;
    bytes += static_cast<char>(byte);
    needed = character_bytes(bytes.front());
    if (needed == 1) return 0;
  }
  if (bytes.size() < needed || first_invalid_utf8(bytes)) return 0;
  std::size_t start = 0;
  return next_code_point(bytes, start);
}

// How likely it is that an undecoded character is mojibake. A strong sign is enough by itself. Weak ones occur in real
// text now and then ("Spaß" in quotation marks), so it takes three in a line.
enum class Sign : std::uint8_t { kNone, kWeak, kStrong };

Sign sign_of(char32_t decoded, bool after_capital) {
  if (decoded >= 0xA0 && decoded <= 0xFF) return after_capital ? Sign::kWeak : Sign::kStrong;  // "Ã¤"
  if ((decoded >= 0x2010 && decoded <= 0x2044) || decoded == 0x20AC || decoded == 0x2122)
    return Sign::kStrong;                                    // "â€™"
  if (decoded == 0xFEFF) return Sign::kStrong;               // "ï»¿"
  const bool is_rare = decoded >= 0x700 && decoded < 0x900;  // Syriac and the like, which "ß“" would be
  return decoded != 0 && !is_rare && text::is_letter(decoded) ? Sign::kWeak : Sign::kNone;
}

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

// Whether an HTML entity begins at the & at the start of `text`: &amp; &#39; &#x27;
bool begins_with_entity(std::string_view text) {
  constexpr std::size_t kLongest = 10;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (end == std::string_view::npos || end < 3) return false;
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool is_number = text[1] == '#';
  const std::string_view name = text.substr(is_number ? 2 : 1, end - (is_number ? 2 : 1));
  const bool begins_well = is_number || !(name.front() >= '0' && name.front() <= '9');
  return begins_well && std::ranges::all_of(name, is_alphanumeric);
}

// Up to 60 characters around byte `at`.
std::string excerpt(std::string_view line, std::size_t at) {
  const auto continues = [&](std::size_t byte) { return (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80; };
  std::size_t begin = std::min(at, line.size());
  for (std::size_t before = 0; before < kCharactersBefore && begin > 0; ++before) {
    do --begin;
    while (begin > 0 && continues(begin));
  }
  std::size_t end = begin;
  for (std::size_t count = 0; count < kExcerptCharacters && end < line.size(); ++count) next_code_point(line, end);
  return join(begin > 0 ? "..." : "", in_quotes(line.substr(begin, end - begin)), end < line.size() ? "..." : "");
}

}  // namespace

LineFacts examine_line(std::string_view line) {
  LineFacts facts;
  const auto note = [&](Damage kind, std::size_t at) {
    std::optional<std::size_t>& first = facts.damage[static_cast<std::size_t>(kind)];
    if (!first) first = at;
  };
  if (const std::optional<std::size_t> wrong = first_invalid_utf8(line)) {
    note(Damage::kNotUtf8, *wrong);
    facts.is_empty = false;
    facts.characters = static_cast<std::int64_t>(line.size());
    return facts;
  }
  std::optional<std::size_t> first_weak, first_high_control;
  int weak_signs = 0;
  bool after_capital = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t here = at;
    const char32_t code = next_code_point(line, at);
    facts.characters += 1;
    facts.is_empty = facts.is_empty && text::is_white_space(code);
    facts.has_letters = facts.has_letters || text::is_letter(code);
    if (is_control(code) && code < 0x80) note(Damage::kControl, here);
    if (is_control(code) && !first_high_control) first_high_control = here;
    if (code == 0xFFFD) note(Damage::kReplacement, here);
    if (code == 0xFEFF) note(Damage::kByteOrderMark, here);
    if (code == '&' && begins_with_entity(line.substr(here))) note(Damage::kEntity, here);
    if (code >= 0xC2 && code <= 0xF4) {
      const Sign sign = sign_of(decoded_twice(line.substr(here)), after_capital);
      if (sign == Sign::kStrong) note(Damage::kMojibake, here);
      if (sign == Sign::kWeak && weak_signs++ == 0) first_weak = here;
    }
    after_capital = text::is_upper_case(code);
  }
  if (weak_signs >= 3) note(Damage::kMojibake, *first_weak);
  // Text that was encoded twice holds control characters from U+0080 on. They are then no damage of their own.
  if (first_high_control && !facts.at(Damage::kMojibake)) note(Damage::kControl, *first_high_control);
  return facts;
}

Example Place::example(std::size_t at) const {
  return {.file = std::string(file), .line = line, .text = excerpt(text, at)};
}

}  // namespace dragoman::health
