// Errors, and the one function that raises them. Three kinds, three treatments: a user's mistake is an Error (or a
// UsageError), a caller's mistake a ShapeError or DeviceError, our own mistake an assert.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace dragoman {

// A run that failed: the text says what was given, what was expected and what to do. Exit status 1.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Wrong usage, configuration or input data. Exit status 2.
struct UsageError : Error {
  using Error::Error;
};

// Arrays whose shapes or element types do not fit together: the calling code is wrong.
struct ShapeError : Error {
  using Error::Error;
};

// A device that this build or machine does not have, or arrays on different devices.
struct DeviceError : Error {
  using Error::Error;
};

// More memory than the budget allows; the text says how much would do.
struct MemoryError : Error {
  using Error::Error;
};

// The parts written one after the other, with numbers the same in every locale.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

// Throws E with the parts as its text unless the condition holds. Nothing is formatted unless it fails.
template <class E, class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    throw E(join(parts...));
}

}  // namespace dragoman
