// Whether asserts are on in the library. Tests that expect an assert to fail ask here, because they can be compiled
// with other options than the library (cmake/tests.cmake).
#pragma once

namespace dragoman {

bool asserts_are_on();

}  // namespace dragoman
