// The program that the whole-program tests run.
#pragma once

#include <cstdlib>
#include <string>

namespace dragoman {

// That of the tests' own build, or the one that DRAGOMAN_TESTED_PROGRAM names: a sanitized build may use the test
// programs of another one (see cmake/tests.cmake).
inline std::string tested_program() {
  const char* other = std::getenv("DRAGOMAN_TESTED_PROGRAM");
  return other != nullptr ? other : DRAGOMAN_PROGRAM;
}

// Whether it has sanitizers, which keep freed memory and need terabytes of address space.
inline bool tests_with_sanitizers() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return std::getenv("DRAGOMAN_TESTED_PROGRAM") != nullptr;
#endif
}

}  // namespace dragoman
