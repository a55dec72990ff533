#include "dragoman/cli/translation_input.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "dragoman/base/error.h"

namespace dragoman::cli {
namespace {

constexpr text::LineRules kRules{.any_bytes = true, .max_bytes = std::size_t{1} << 30};

}  // namespace

bool TranslationInput::operator()(decode::SourceLine& line, const std::stop_token& stop) {
  if (!lines_) open_next();
  if (!prefix_file_.empty() && !prefixes_) prefixes_.emplace(prefix_file_);
  const bool begins = !lines_->continues();
  const bool more = next_part(line.text, stop);
  line.continues = lines_->continues();
  if (line.continues && line.text.find('\0') != std::string::npos) refuse_binary(line);
  if (prefixes_ && begins && !stop.stop_requested()) next_prefix(line.prefix, more);
  return more;
}

// Opens the file before it locks: opening a pipe waits until somebody writes to it.
void TranslationInput::open_next() {
  const std::int64_t first = first_lines_.empty() ? 1 : first_lines_.back() + lines_->line();
  lines_.emplace(files_[first_lines_.size()], kRules);
  const std::lock_guard lock(mutex_);
  first_lines_.push_back(first);
}

bool TranslationInput::next_part(std::string& text, const std::stop_token& stop) {
  while (!lines_->next_part(text, decode::kPartBytes, stop)) {
    if (first_lines_.size() == files_.size() || stop.stop_requested()) return false;
    open_next();
  }
  return true;
}

// Throws a UsageError if there are more lines than prefixes, or the other way round.
void TranslationInput::next_prefix(std::string& prefix, bool has_line) {
  if (prefixes_->next(prefix) == has_line) return;
  if (files_.size() == 1 && has_line) text::throw_line_count_mismatch(*prefixes_, *lines_);
  if (files_.size() == 1) text::throw_line_count_mismatch(*lines_, *prefixes_);
  throw UsageError(join(prefixes_->name(), " has ", has_line ? "fewer" : "more", " lines than the ", files_.size(),
                        " files to translate together; both must have the same number of lines."));
}

// Marks a long line with zero bytes as bad, or stops the run. It is binary data, such as a program, which may have no
// line break at all.
void TranslationInput::refuse_binary(decode::SourceLine& line) const {
  line.bad = true;
  require<UsageError>(bad_line_ != decode::BadLine::kStop, lines_->name(), " line ", lines_->line(), " is longer than ",
                      decode::kPartBytes >> 10, " KiB and holds zero bytes: it is not text.");
}

std::string TranslationInput::name_of(std::int64_t number) const {
  const std::lock_guard lock(mutex_);
  // The last file that begins at this line or before it; files without lines begin where the next one does.
  const auto after = std::ranges::upper_bound(first_lines_, number);
  const auto file = static_cast<std::size_t>(after - first_lines_.begin()) - 1;
  const std::int64_t line = number - first_lines_[file] + 1;
  return files_[file] == "-" ? join("line ", line) : join("'", files_[file], "' line ", line);
}

void TranslationInput::count_lines() {
  std::vector<std::string> paths;
  for (const std::string& file : files_) {
    const bool is_input = file == "-";
    std::error_code problem;
    paths.push_back(is_input ? "/dev/stdin" : file);
    if (!std::filesystem::is_regular_file(paths.back(), problem)) return;
    if (is_input && ::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0) return;  // a part of it has been read
  }
  counting_ = std::jthread([this, paths](const std::stop_token& stop) {
    try {
      std::int64_t lines = 0;
      for (const std::string& path : paths) {
        text::LineReader reader(path, kRules);
        for (std::string part; reader.next_part(part, decode::kPartBytes, stop);) continue;
        lines += reader.line();
      }
      if (!stop.stop_requested()) total_lines_ = lines;
    } catch (const std::exception&) {  // a file cannot be read to its end, which is reported when it is translated
    }
  });
}

}  // namespace dragoman::cli
