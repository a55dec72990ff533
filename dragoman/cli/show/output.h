// Writes to standard output, where every failure is reported, and to standard error, where failures are ignored.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::cli {

// Thrown when the program that reads standard output has ended (as `head` does). This is not an error, but this program
// can stop.
struct OutputClosed {};

// Writes to standard output. Throws OutputClosed if the pipe is closed, and an Error for any other failure.
void print(std::string_view text);

// Writes a line for the user to standard error. If this fails, the line is dropped, because it is not a result.
void note(std::string_view line);

// If `file` is standard input (-) and a terminal, says that it is read: "score: reading the translations from the
// terminal; Ctrl-D ends." Without this, a command that waits seems to hang.
void announce_typing(const std::string& file, std::string_view command, std::string_view what);

// Whether this is the name of the file that is open as `descriptor`.
bool is_open_as(const std::string& name, int descriptor);
// Throws a UsageError if standard input is the regular file with this name, which `flag` names as an output. A terminal
// may be both.
void require_not_standard_input(const std::string& name, std::string_view flag);

// Opens a placeholder for each standard stream that is closed. Otherwise the next file that the program opens would get
// the number of the stream, and what is printed would go into that file. To be called before anything is opened. Using
// such a stream fails as it does for a closed one. Returns false if a placeholder cannot be opened.
bool hold_closed_streams();

// Writes what print() has buffered. Throws as print() does.
void flush_output();

}  // namespace dragoman::cli
