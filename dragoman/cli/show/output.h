// Standard output that never fails silently, and standard error that never fails anything.
#pragma once

#include <string_view>

namespace dragoman::cli {

// Whoever read standard output went away (as `head` does): not an error, but nothing more needs to be done.
struct OutputClosed {};

// Writes to standard output. Throws OutputClosed at a closed pipe, and an Error at any other failure.
void print(std::string_view text);

// A line on standard error that the user should see. Where it cannot be written it is dropped: it is no result.
void note(std::string_view line);

// Takes the places of standard streams that are closed, so that no file that the program opens gets their numbers, and
// with them what is meant for the stream. To be called before anything is opened. Reading or writing such a stream
// fails as it does on one that is closed. False if the system has nothing to put there.
bool hold_closed_streams();

// Writes out what print() still holds, and throws as print() does.
void flush_output();

}  // namespace dragoman::cli
