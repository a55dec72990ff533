// Small text helpers whose results are the same in every locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <iosfwd>
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

// 1536 -> "1.50 KiB".
std::string bytes_text(std::int64_t bytes);

// A number and what it counts: "1 line", "2 lines", "1,200 lines". The plural is the singular with an s unless it is
// given. The text is made only when it is printed, so that require() can take it without cost.
struct Counted {
  std::int64_t count;
  std::string_view singular, plural;
  std::string text() const;
};
inline Counted counted(std::int64_t count, std::string_view singular, std::string_view plural = {}) {
  return {count, singular, plural};
}
std::ostream& operator<<(std::ostream& out, const Counted& counted);

// The words with commas, and "and" before the last: "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> words);

// The text with a small first letter: "Permission denied" -> "permission denied", for a reason inside a sentence.
std::string lower_first(std::string text);

// Seconds as minutes or hours: 125 -> "2:05", 3723 -> "1:02:03".
std::string duration_text(double seconds);

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, if it is near enough
// for `word` to be a typing error: at most one edit for every three letters, but one is always allowed. Nothing for a
// word of more than 64 letters.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// " Did you mean 'base'?", or nothing if no candidate is near.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace dragoman
