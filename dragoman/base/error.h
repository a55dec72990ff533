// The exception types, and require(), which throws them. A user's mistake throws an Error (or a UsageError), a mistake
// of the calling code throws a ShapeError or DeviceError, and a bug of our own fails an assert.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace dragoman {

// A run failed. The text says what was given, what was expected and what to do. Exit status 1.
struct Error : std::runtime_error {
  // what() is a C string, which ends at a zero byte. So a message with zero bytes is escaped, as printable() does.
  explicit Error(const std::string& message);
};

// The usage, the configuration or the input data is wrong. Exit status 2.
struct UsageError : Error {
  using Error::Error;
};

// The shapes or element types of arrays do not fit together: the calling code is wrong.
struct ShapeError : Error {
  using Error::Error;
};

// This build or machine does not have the device, or arrays are on different devices.
struct DeviceError : Error {
  using Error::Error;
};

// The memory budget is too small; the text says how much memory would be enough.
struct MemoryError : Error {
  using Error::Error;
};

// Concatenates the parts as text. Numbers look the same in every locale.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

// Throws E with the joined parts as its text if the condition is false. Formats nothing otherwise.
template <class E, class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    throw E(join(parts...));
}

}  // namespace dragoman
