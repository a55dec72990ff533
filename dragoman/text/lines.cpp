#include "dragoman/text/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ios>
#include <optional>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/file_kind.h"
#include "dragoman/text/stretches.h"
#include "dragoman/text/unpack.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kBeginning = 4096;
constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The bytes of a file, undecoded. The file may be a pipe, so bytes read to detect the packing are kept and returned
// later.
class RawFile {
 public:
  explicit RawFile(const std::string& path) : path_(path), name_(shown_name(path)) {
    if (path == "-") {
      file_ = ::dup(STDIN_FILENO);
    } else {
      file_ = open_file(path, O_RDONLY | O_CLOEXEC);
    }
    require<Error>(file_ >= 0, "cannot read ", name_, " ", system_reason(), ".");
    try {
      look_ahead();
    } catch (...) {
      ::close(file_);
      throw;
    }
  }
  ~RawFile() { ::close(file_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  Packing packing() const { return packing_; }
  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // for messages
  void set_stop(const std::stop_token& stop) { stop_ = stop; }

  // Reads at most `count` bytes; returns 0 at the end.
  std::size_t read(char* bytes, std::size_t count) {
    std::size_t got = std::min(count, ahead_.size());
    if (got > 0) {
      ahead_.copy(bytes, got);
      ahead_.erase(0, got);
    } else {
      got = read_file(bytes, count);
    }
    return got;
  }

 private:
  void look_ahead() {
    std::array<char, 6> start{};
    // Reads no more than is needed to decide: the next byte of a pipe may take long to arrive.
    while (ahead_.size() < start.size() && may_become_packed(ahead_)) {
      const std::size_t got = read_file(start.data(), start.size() - ahead_.size());
      if (got == 0) break;
      ahead_.append(start.data(), got);
    }
    packing_ = packing_of(ahead_);
  }

  // After Ctrl-D a terminal would go on, so the end is remembered.
  std::size_t read_file(char* bytes, std::size_t count) {
    while (!ended_) {
      if (!wait_for_bytes()) return 0;
      const ssize_t got = ::read(file_, bytes, count);
      if (got < 0 && errno == EINTR) continue;
      require<Error>(got >= 0, "cannot read ", name_, " ", system_reason(), ".");
      ended_ = got == 0;
      return static_cast<std::size_t>(got);
    }
    return 0;
  }

  // Returns false if a stop was requested. A file that is not a pipe or terminal is always ready.
  bool wait_for_bytes() const {
    constexpr int kMilliseconds = 50;
    pollfd file{.fd = file_, .events = POLLIN, .revents = 0};
    while (stop_.stop_possible() && !stop_.stop_requested()) {
      if (::poll(&file, 1, kMilliseconds) != 0) break;
    }
    return !stop_.stop_requested();
  }

  std::string path_, name_;
  std::stop_token stop_;
  int file_ = -1;
  bool ended_ = false;
  std::string ahead_;
  Packing packing_ = Packing::kNone;
};

}  // namespace

struct LineReader::File {
  File(const std::string& path, const LineRules& rules_) : raw(path), rules(rules_) {
    if (raw.packing() == Packing::kNone) return;
    text = unpacked(raw.packing(), [this](char* bytes, std::size_t count) { return raw.read(bytes, count); });
  }

  // Refills the buffer; returns false at the end. Until the first line is complete, all that was read is kept.
  bool refill() {
    const bool has_more = read_block();
    if (line <= 1) beginning.append(buffer.data(), std::min(end, kBeginning - std::min(kBeginning, beginning.size())));
    return has_more;
  }

  bool read_block() {
    next = 0;
    if (raw.packing() == Packing::kNone) {
      end = raw.read(buffer.data(), buffer.size());
      return end > 0;
    }
    try {
      end = static_cast<std::size_t>(text->sgetn(buffer.data(), static_cast<std::streamsize>(buffer.size())));
    } catch (const std::ios_base::failure&) {
      throw Error(join(raw.name(), " is damaged or cut short: ",
                       line == 0 ? "it cannot be unpacked." : join("it does not unpack beyond line ", line, ".")));
    }
    return end > 0;
  }

  enum class Stop : std::uint8_t { kNewline, kEndOfFile, kFull };

  // Appends to `into` until one of three things: an LF, which is consumed but not appended; the end of the file; or
  // `into` holds max_bytes.
  Stop read_to_newline(std::string& into, std::size_t max_bytes) {
    while (next < end || refill()) {
      const char* from = buffer.data() + next;
      const std::size_t count = std::min(end - next, max_bytes - into.size());
      if (count == 0) return Stop::kFull;
      const auto* newline = static_cast<const char*>(std::memchr(from, '\n', count));
      const std::size_t taken = newline == nullptr ? count : static_cast<std::size_t>(newline - from);
      into.append(from, taken);
      next += taken;
      if (newline == nullptr) continue;
      next += 1;
      return Stop::kNewline;
    }
    return Stop::kEndOfFile;
  }

  // `bytes` of the current line have been read.
  void require_not_longer(std::size_t bytes) const {
    require<UsageError>(bytes <= rules.max_bytes, raw.name(), " line ", line, " is longer than ", rules.max_bytes >> 20,
                        " MiB; text must have one sentence per line.");
  }

  void require_utf8(std::string_view part) {
    if (rules.any_bytes) return;
    if (const std::optional<std::size_t> wrong = first_invalid_utf8(part)) {
      const auto byte = static_cast<unsigned char>(part[*wrong]);
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      throw UsageError(join(raw.name(), " line ", line, " is not UTF-8 text (byte 0x", kDigits[byte >> 4],
                            kDigits[byte & 15], " at column ", columns + count_characters(part.substr(0, *wrong)) + 1,
                            "); correct or remove that line; ", latin1_advice(raw.path()), "."));
    }
    columns += count_characters(part);
  }

  // `part` is the beginning of the first line.
  void require_text_file(std::string_view part) const {
    if (rules.any_kind) return;
    const std::string kind = not_text(part, raw.path());
    require<UsageError>(kind.empty(), raw.name(), kind);
    require<UsageError>(!is_binary(beginning), raw.name(), " holds binary data, not text; name a text file.");
  }

  RawFile raw;
  LineRules rules;
  std::unique_ptr<std::streambuf> text;  // the unpacked text; null for a plain file
  std::array<char, kBufferBytes> buffer{};
  std::size_t next = 0, end = 0;  // the unread part of the buffer
  std::string beginning;          // of the file: at most kBeginning bytes, the first line included
  std::int64_t line = 0;
  bool has_byte_order_mark = false;
  // State of the current line, if it is read in parts.
  bool continues = false;
  bool ended_in_crlf = false;
  std::string ahead;  // bytes of it that were read but not returned yet
  std::size_t line_bytes = 0, columns = 0;
};

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : "'" + path + "'"; }

LineReader::LineReader(const std::string& path, const LineRules& rules) : file_(std::make_unique<File>(path, rules)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line, const std::stop_token& stop) {
  return next_part(line, file_->rules.max_bytes, stop);
}

bool LineReader::next_part(std::string& part, std::size_t part_bytes, const std::stop_token& stop) {
  File& file = *file_;
  const bool begins = !file.continues;
  file.raw.set_stop(stop);
  part.clear();
  part.swap(file.ahead);
  // 1. Read one byte more than fits, to learn whether the line continues.
  File::Stop stopped = file.read_to_newline(part, part_bytes + 1);
  // 2. At the beginning of a line: skip a byte-order mark and start counting.
  if (begins) {
    if (file.line == 0 && part.starts_with(kByteOrderMark)) {
      file.has_byte_order_mark = true;
      part.erase(0, kByteOrderMark.size());
      if (stopped == File::Stop::kFull) stopped = file.read_to_newline(part, part_bytes + 1);
    }
    if (stopped == File::Stop::kEndOfFile && part.empty()) return false;
    file.line += 1;
    file.line_bytes = file.columns = 0;
  }
  // 3. Keep back what belongs to the next part, or remove the CR of a CR LF.
  file.require_not_longer(file.line_bytes + part.size());
  file.continues = part.size() > part_bytes;
  file.ended_in_crlf = !file.continues && stopped == File::Stop::kNewline && part.ends_with('\r');
  if (file.continues) {
    const std::size_t cut = first_stretch(part, part_bytes);
    file.ahead.assign(part, cut);
    part.resize(cut);
  } else if (file.ended_in_crlf) {
    part.pop_back();
  }
  file.line_bytes += part.size();
  if (begins && file.line == 1) file.require_text_file(part);
  file.require_utf8(part);
  return true;
}

bool LineReader::continues() const { return file_->continues; }
std::int64_t LineReader::line() const { return file_->line; }
bool LineReader::ends_in_crlf() const { return file_->ended_in_crlf; }
bool LineReader::has_byte_order_mark() const { return file_->has_byte_order_mark; }
const std::string& LineReader::path() const { return file_->raw.path(); }
const std::string& LineReader::name() const { return file_->raw.name(); }

void throw_line_count_mismatch(const LineReader& shorter, const LineReader& longer) {
  require<UsageError>(shorter.line() > 0, shorter.name(), " is empty, but ", longer.name(),
                      " is not; both must have the same number of lines.");
  throw UsageError(join(shorter.name(), " has only ", counted(shorter.line(), "line"), ", but ", longer.name(),
                        " has more; both must have the same number of lines."));
}

}  // namespace dragoman::text
