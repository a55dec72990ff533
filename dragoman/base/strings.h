// Small text helpers whose results are the same in every locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace dragoman {

// Parses all of `text` as a number. Returns nothing if it is not a number, does not fit T, or has other characters
// after the number.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// 63045632 -> "63,045,632".
std::string with_thousands(std::int64_t value);

// 4509715660 -> "4.20 GiB".
std::string bytes_text(std::int64_t bytes);

// Seconds as minutes or hours: 125 -> "2:05", 3723 -> "1:02:03".
std::string duration_text(double seconds);

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, if it is near enough
// for `word` to be a typing error: at most one edit for every three letters, but one is always allowed. Nothing for a
// word of more than 64 letters.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// " Did you mean 'base'?", or nothing if no candidate is near.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace dragoman
