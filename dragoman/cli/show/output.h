// Writes to standard output, where every failure is reported, and to standard error, where failures are ignored.
#pragma once

#include <string_view>

namespace dragoman::cli {

// Thrown when the reader of standard output has gone (as `head` does). This is not an error, but the program can stop.
struct OutputClosed {};

// Writes to standard output. Throws OutputClosed if the pipe is closed, and an Error for any other failure.
void print(std::string_view text);

// Writes a line for the user to standard error. If this fails, the line is dropped, because it is not a result.
void note(std::string_view line);

// Opens a placeholder for each standard stream that is closed, so that no file that the program opens gets its number
// and, with it, the output that is meant for the stream. To be called before anything is opened. Using such a stream
// fails as it does for a closed one. False if no placeholder can be opened.
bool hold_closed_streams();

// Writes what print() has buffered. Throws as print() does.
void flush_output();

}  // namespace dragoman::cli
