// What went wrong, as one sentence, whatever was thrown.
#pragma once

#include <exception>
#include <string>

namespace dragoman {

// An Error says it itself. All else is put in words: no memory, a file that the system refuses, or something
// unexpected.
std::string failure_sentence(const std::exception_ptr& failure);

}  // namespace dragoman
