#include "dragoman/base/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace dragoman {
namespace {

template <std::integral T>
void read_integer(T& value, std::string_view text, std::string_view where) {
  const std::optional<T> number = parse_number<T>(text);
  const bool is_whole = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  require<UsageError>(number || !is_whole, where, ": '", text, "' is too large; the largest possible number is ",
                      std::numeric_limits<T>::max(), ".");
  require<UsageError>(number.has_value(), where, ": '", text, "' is not a whole number",
                      std::is_unsigned_v<T> ? " of at least 0" : "", ", such as 4.");
  value = *number;
}

template <std::floating_point T>
void read_real(T& value, std::string_view text, std::string_view where) {
  const std::optional<T> number = parse_number<T>(text);
  require<UsageError>(number && std::isfinite(*number), where, ": '", text, "' is not a finite number, such as 0.1.");
  value = *number;
}

template <class T>
std::string shortest(T value) {
  char text[64];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
  return std::string(text, end);
}

}  // namespace

void read_value(int& value, std::string_view text, std::string_view where) { read_integer(value, text, where); }
void read_value(std::int64_t& value, std::string_view text, std::string_view where) {
  read_integer(value, text, where);
}
void read_value(std::uint64_t& value, std::string_view text, std::string_view where) {
  read_integer(value, text, where);
}
void read_value(float& value, std::string_view text, std::string_view where) { read_real(value, text, where); }
void read_value(double& value, std::string_view text, std::string_view where) { read_real(value, text, where); }
void read_value(std::string& value, std::string_view text, std::string_view) { value = text; }

void read_value(bool& value, std::string_view text, std::string_view where) {
  const auto is_one_of = [text](auto... words) { return ((text == words) || ...); };
  const bool yes = is_one_of("true", "yes", "on");
  require<UsageError>(yes || is_one_of("false", "no", "off"), where, ": '", text, "' is neither true nor false.");
  value = yes;
}

void read_value(std::vector<std::string>& value, std::string_view text, std::string_view where) {
  value.clear();
  const std::string_view list = text;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    require<UsageError>(comma > 0 && comma + 1 != text.size(), where, ": '", list,
                        "' has an empty item; write the list as a,b,c.");
    value.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

void read_value(OptionalSize& value, std::string_view text, std::string_view where) {
  const int size = text == "none" ? 0 : parse_number<int>(text).value_or(-1);
  require<UsageError>(text == "none" || size > 0, where, ": '", text,
                      "' is not possible; give a whole number above 0, or 'none' for the default.");
  value = size;
}

void read_value(const FieldPair& value, std::string_view text, std::string_view where) {
  read_value(value.first, text, where);
  value.second = value.first;
}

std::size_t read_name(const std::vector<std::string>& names, std::string_view text, std::string_view where) {
  const auto at = std::find(names.begin(), names.end(), text);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  require<UsageError>(names.size() != 1, where, ": there is no '", text, "'; there is only ", names.front(), ".");
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  // A GPU is called cuda here, but "cpu" is nearer to "gpu".
  const std::string_view meant = text == "gpu" || text == "GPU" ? "cuda" : text;
  throw UsageError(join(where, ": '", text, "' is not one of ", listed, ".", suggestion(meant, names)));
}

namespace {

// A whole number without an exponent: 1000000000, not 1e+09.
std::string plain_text(double value) {
  constexpr double kExact = 1e15;
  const bool is_whole = value == std::floor(value) && std::abs(value) < kExact;
  return is_whole ? write_value(static_cast<std::int64_t>(value)) : write_value(value);
}

}  // namespace

void require_between(std::string_view key, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw UsageError(
      join(key, " is ", plain_text(value), "; it must be from ", plain_text(least), " to ", plain_text(most), "."));
}

std::string write_value(int value) { return shortest(value); }
std::string write_value(std::int64_t value) { return shortest(value); }
std::string write_value(std::uint64_t value) { return shortest(value); }
std::string write_value(float value) { return shortest(value); }
std::string write_value(double value) { return shortest(value); }
std::string write_value(bool value) { return value ? "true" : "false"; }
std::string write_value(const std::string& value) { return value; }
std::string write_value(const std::vector<std::string>& value) {
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) text.append(i == 0 ? "" : ",").append(value[i]);
  return text;
}
std::string write_value(OptionalSize value) { return value == 0 ? "none" : shortest(value.value); }
std::string write_value(const FieldPair& value) { return shortest(value.first); }

}  // namespace dragoman
