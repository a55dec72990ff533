// Reads text files line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

namespace dragoman::text {

// What a reader accepts.
struct LineRules {
  bool any_bytes = false;            // also lines that are not UTF-8, passed on unchanged
  bool any_kind = false;             // also UTF-16 and archives, see not_text()
  std::size_t max_bytes = 1U << 20;  // the longest line
};

// The name of a file in messages: its path in quotes, or "standard input" for "-".
std::string shown_name(const std::string& path);

// A file of UTF-8 text, either plain or packed with gzip, zstd or xz; its first bytes tell which. A line ends in LF or
// CR LF, which are not part of the line. A byte-order mark at the start of the file is skipped. The path "-" is
// standard input.
class LineReader {
 public:
  // Throws an Error if the file cannot be opened.
  explicit LineReader(const std::string& path, const LineRules& rules = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // Reads the next line; returns false at the end of the file. Throws an Error that names the file if packed data is
  // damaged or cut short, or if reading fails; throws a UsageError that also names the line if the text is not UTF-8 or
  // the line is longer than the rules allow, and one that says what the file is if it is no text file. If no input is
  // available yet, it waits. When `stop` is requested, it behaves as if the file ended there.
  bool next(std::string& line, const std::stop_token& stop = {});

  // Like next(), but the memory does not grow with the line: a line of more than part_bytes is returned in parts, as
  // first_stretch() cuts it. continues() is true after each part but the last. Requires part_bytes >= 4.
  bool next_part(std::string& part, std::size_t part_bytes, const std::stop_token& stop = {});
  // Whether the part read last is followed by more of the same line.
  bool continues() const;

  std::int64_t line() const;         // number of the line read last, from 1
  bool ends_in_crlf() const;         // whether that line ended in CR LF; false after a part that continues
  bool has_byte_order_mark() const;  // whether the file begins with one; false before the first line is read
  const std::string& path() const;
  const std::string& name() const;  // for messages, as shown_name() gives it

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Two files belong together line by line; one has ended and the other has not. Throws the UsageError that says so.
[[noreturn]] void throw_line_count_mismatch(const LineReader& shorter, const LineReader& longer);

}  // namespace dragoman::text
