// Looks for damage in single lines of text: wrong encodings, control characters, markup.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/health/finding.h"

namespace dragoman::health {

enum class Damage : std::uint8_t {
  kNotUtf8,
  kMojibake,       // UTF-8 that was read as Windows-1252 and encoded again: "fÃ¼r" for "für"
  kReplacement,    // U+FFFD, which a program wrote in place of a character that it could not read
  kControl,        // a control character other than a tab, or a line separator (U+2028, U+2029)
  kByteOrderMark,  // U+FEFF inside the text, as after files were joined
  kEntity,         // an HTML entity: "&amp;"
};
inline constexpr std::size_t kDamages = 6;

struct LineFacts {
  std::int64_t characters = 0;  // bytes if the line is not UTF-8
  bool is_empty = true;         // nothing but white space
  bool has_letters = false;
  std::array<std::optional<std::size_t>, kDamages> damage{};  // the byte where each first occurs

  std::optional<std::size_t> at(Damage kind) const { return damage[static_cast<std::size_t>(kind)]; }
};

// If the line is not UTF-8, no other damage is looked for.
LineFacts examine_line(std::string_view line);

// A line of a file.
struct Place {
  std::string_view file;
  std::int64_t line = 0;  // from 1
  std::string_view text;

  // Shows up to 60 characters around byte `at`.
  Example example(std::size_t at = 0) const;
};

}  // namespace dragoman::health
