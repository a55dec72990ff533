// Text files as lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace dragoman::text {

// What a reader puts up with.
struct LineRules {
  bool any_bytes = false;             // lines that are not UTF-8 are given as they are
  std::size_t most_bytes = 1U << 20;  // of a line
};

// A file of UTF-8 text, plain or packed with gzip, zstd or xz, which its first bytes tell. A line ends in LF or CR LF,
// neither of which belongs to it; a byte-order mark at the start of the file is left out. The path "-" is standard
// input.
class LineReader {
 public:
  // Throws an Error if the file cannot be opened.
  explicit LineReader(const std::string& path, const LineRules& rules = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // Reads the next line; false at the end. Throws an Error that names the file for packed data that is damaged or cut
  // short and for a failing disk, and a UsageError that names the line too for text that is not UTF-8 and for a line of
  // more bytes than the rules allow.
  // Where there is nothing to read yet it waits, until `stop` is requested: then the text ends.
  bool next(std::string& line, const std::stop_token& stop = {});

  // The same in memory that does not grow with the line: a line of more than `most` bytes is given part by part, as
  // first_stretch() cuts it, and continues() is true after each part but the last. Requires most >= 4.
  bool next_part(std::string& part, std::size_t most, const std::stop_token& stop = {});
  // Whether the line goes on after the part read last.
  bool continues() const;

  std::int64_t line() const;  // of the line read last, counted from 1
  const std::string& path() const;
  const std::string& name() const;  // for messages: the path in quotes, or "standard input"

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Throws the UsageError for two files that go together line by line, of which one has ended and the other has not.
[[noreturn]] void refuse_lengths(const LineReader& shorter, const LineReader& longer);

}  // namespace dragoman::text
