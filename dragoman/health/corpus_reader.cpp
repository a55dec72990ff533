#include "dragoman/health/corpus_reader.h"

#include <algorithm>
#include <filesystem>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/text/file_kind.h"

namespace dragoman::health {
namespace {

constexpr text::LineRules kAnyBytes{.any_bytes = true, .any_kind = true};

// Throws an Error for an archive or binary data. UTF-16 is a finding of its own.
void refuse_other_files(const std::string& path) {
  std::string line;
  if (text::LineReader(path, kAnyBytes).next(line) && text::utf16_name(line).empty()) {
    text::LineReader(path, {.any_bytes = true}).next(line);
  }
}

text::LineReader open(const std::string& path) {
  require<Error>(path != "-",
                 "standard input cannot be checked; a text is read more than once, so write it to a file "
                 "first.");
  const std::filesystem::file_status status = status_of(path);
  require<Error>(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status), "'", path,
                 "' is not a plain file; a text is read more than once, so write it to a file first.");
  refuse_other_files(path);
  return text::LineReader(path, kAnyBytes);
}

void read_line(text::LineReader& reader, RawPair::OneSide& side) {
  side.present = reader.next(side.text);
  side.ends_in_crlf = side.present && reader.ends_in_crlf();
}

}  // namespace

CorpusReader::CorpusReader(const data::ParallelFiles& files) : source_(open(files.source)) {
  if (!files.target.empty()) target_.emplace(open(files.target));
}

bool CorpusReader::next(RawPair& pair) {
  try {
    read_line(source_, pair.source);
    if (target_) read_line(*target_, pair.target);
  } catch (const Error& error) {
    problem_ = error.what();
    return false;
  }
  pair.line = std::max(source_.line(), target_ ? target_->line() : 0);
  if (!target_) split(pair);
  return pair.source.present || pair.target.present;
}

void CorpusReader::split(RawPair& pair) {
  std::string& line = pair.source.text;
  pair.tabs = pair.source.present ? std::ranges::count(line, '\t') : 1;
  pair.target.present = pair.source.present && pair.tabs == 1;
  pair.target.ends_in_crlf = false;  // there is one file, whose line ends count once
  if (!pair.target.present) return;
  const std::size_t tab = line.find('\t');
  pair.target.text.assign(line, tab + 1);
  line.resize(tab);
}

}  // namespace dragoman::health
