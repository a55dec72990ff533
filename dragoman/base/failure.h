// Turns any exception into one sentence for the user.
#pragma once

#include <exception>
#include <string>

namespace dragoman {

// Returns the text of an Error unchanged. For other exceptions it composes a sentence: out of memory, a file or a
// system call that failed, or an unexpected failure.
std::string failure_sentence(const std::exception_ptr& failure);

}  // namespace dragoman
