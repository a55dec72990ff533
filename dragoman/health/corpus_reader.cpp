#include "dragoman/health/corpus_reader.h"

#include <algorithm>
#include <filesystem>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::health {
namespace {

constexpr text::LineRules kAnyBytes{.any_bytes = true, .any_kind = true};

text::LineReader open(const std::string& path) {
  const std::filesystem::file_status status = status_of(path);
  require<Error>(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status), "'", path,
                 "' is not a plain file; a text is read more than once, so write it to a file first.");
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
