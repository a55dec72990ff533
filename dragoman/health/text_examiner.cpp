#include "dragoman/health/text_examiner.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/text/file_kind.h"

namespace dragoman::health {
namespace {

// All threads examine a chunk together. A chunk ends at either limit, so that long lines do not fill the memory.
constexpr std::size_t kChunkPairs = 16'384, kChunkBytes = 16 << 20;
constexpr std::int64_t kPiecePairs = 64;  // pairs that one thread takes at a time

// A pair has an odd length if a side is more than this many times as long as the other side suggests, and the longer of
// the two is not short: a short sentence may well become a long one.
constexpr double kOddRatio = 5;
constexpr double kShortSentence = 30;  // characters

bool is_text(const LineFacts& facts) { return !facts.is_empty && !facts.at(Damage::kNotUtf8); }

void count_side(const RawPair::OneSide& line, const LineFacts& facts, bool foreign, std::int64_t number,
                SideReport& report) {
  if (!line.present) return;
  const Place place{.file = report.file, .line = number, .text = line.text};
  report.utf16 = report.utf16 || (report.lines == 0 && !text::utf16_name(line.text).empty());
  report.lines += 1;
  report.empty += facts.is_empty ? 1 : 0;
  report.characters += facts.characters;
  report.crlf_lines += line.ends_in_crlf ? 1 : 0;
  if (facts.characters > report.longest) {
    report.longest = facts.characters;
    report.longest_line = number;
  }
  for (std::size_t kind = 0; kind < kDamages; ++kind) {
    if (facts.damage[kind]) report.damage[kind].add(place, *facts.damage[kind]);
  }
  if (facts.characters > SideReport::kLongLine) report.long_lines.add(place);
  if (foreign) report.foreign.add(place);
}

void count_pair(const RawPair& pair, const PairFacts& facts, TextReport& report) {
  count_side(pair.source, facts.source, facts.foreign_source, pair.line, report.source);
  count_side(pair.target, facts.target, facts.foreign_target, pair.line, report.target);
  const Place place{.file = report.source.file, .line = pair.line, .text = pair.source.text};
  if (pair.tabs != 1) report.wrong_tabs.add(place);
  if (!pair.source.present || !pair.target.present) return;
  report.pairs += 1;
  if (facts.source.is_empty || facts.target.is_empty) report.empty.add(place);
  if (!facts.usable) return;
  report.usable += 1;
  if (facts.equal) report.equal.add(place);
  if (facts.odd_length) report.odd_length.add(place);
  report.lengths.add(facts.source.characters, facts.target.characters);
}

}  // namespace

Survey survey_of(const data::ParallelFiles& files) {
  Survey survey;
  try {
    CorpusReader reader(files);
    RawPair pair;
    for (std::int64_t i = 0; i < Survey::kPairs && reader.next(pair); ++i) {
      if (pair.source.present && pair.target.present) survey.add(pair.source.text, pair.target.text);
    }
  } catch (const Error&) {  // reported when the text is examined
  }
  return survey;
}

PairFacts PairExaminer::operator()(const RawPair& pair, text::LetterList& letters) const {
  PairFacts facts;
  if (pair.source.present) examine(pair.source.text, Side::kSource, facts.source, facts.foreign_source, letters);
  if (pair.target.present) examine(pair.target.text, Side::kTarget, facts.target, facts.foreign_target, letters);
  facts.usable = pair.source.present && pair.target.present && is_text(facts.source) && is_text(facts.target);
  if (!facts.usable) return facts;
  facts.equal = facts.source.has_letters && pair.source.text == pair.target.text;
  facts.odd_length = is_odd(facts.source.characters, facts.target.characters);
  facts.hashes = with_folded_hashes_ ? all_hashes_of(pair.source.text, pair.target.text)
                                     : hashes_of(pair.source.text, pair.target.text);
  return facts;
}

void PairExaminer::examine(const std::string& line, Side side, LineFacts& facts, bool& foreign,
                           text::LetterList& letters) const {
  facts = examine_line(line);
  if (!facts.has_letters) return;
  letters.assign(line);
  foreign = judge_.is_foreign(letters, side);
}

bool PairExaminer::is_odd(std::int64_t source_characters, std::int64_t target_characters) const {
  const double expected = static_cast<double>(source_characters) * length_ratio_;
  const auto found = static_cast<double>(target_characters);
  const double shorter = std::min(expected, found), longer = std::max(expected, found);
  return longer >= kShortSentence && longer > kOddRatio * shorter;
}

TextExaminer::Chunk::Chunk() : pairs(kChunkPairs), facts(kChunkPairs) {}

void TextExaminer::Chunk::read(CorpusReader& reader) {
  count = 0;
  for (std::size_t bytes = 0; count < kChunkPairs && bytes < kChunkBytes; ++count) {
    if (!reader.next(pairs[count])) break;
    bytes += pairs[count].source.text.size() + pairs[count].target.text.size();
  }
}

TextReport TextExaminer::operator()(const data::ParallelFiles& files, const PairExaminer& examine,
                                    const OnPair& on_pair) {
  TextReport report;
  report.files = files;
  report.source.file = files.source;
  report.target.file = files.target.empty() ? files.source : files.target;
  try {
    CorpusReader reader(files);
    read(reader, examine, report, on_pair);
    report.problem = reader.problem();
    report.source.byte_order_mark = reader.has_byte_order_mark_in_source();
    report.target.byte_order_mark = reader.has_byte_order_mark_in_target();
  } catch (const Error& error) {
    report.problem = error.what();
  }
  return report;
}

void TextExaminer::read(CorpusReader& reader, const PairExaminer& examine, TextReport& report, const OnPair& on_pair) {
  for (chunk_.read(reader); chunk_.count > 0; std::swap(chunk_, following_)) {
    examine_chunk(reader, examine);
    for (std::size_t i = 0; i < chunk_.count; ++i) {
      const RawPair& pair = chunk_.pairs[i];
      count_pair(pair, chunk_.facts[i], report);
      if (!chunk_.facts[i].usable) continue;
      on_pair(chunk_.facts[i].hashes, {.file = report.source.file, .line = pair.line, .text = pair.source.text});
    }
    done_ += static_cast<std::int64_t>(chunk_.count);
    if (progress_) progress_(done_);
  }
}

// Piece 0 reads (and unpacks) the next chunk, while the other pieces examine the current one.
void TextExaminer::examine_chunk(CorpusReader& reader, const PairExaminer& examine) {
  const std::int64_t pieces = (static_cast<std::int64_t>(chunk_.count) + kPiecePairs - 1) / kPiecePairs;
  run_guarded(team_, 1 + pieces, [&](std::int64_t piece) {
    if (piece == 0) return following_.read(reader);
    text::LetterList letters;
    const std::size_t first = static_cast<std::size_t>((piece - 1) * kPiecePairs);
    const std::size_t last = std::min(first + kPiecePairs, chunk_.count);
    for (std::size_t i = first; i < last; ++i) chunk_.facts[i] = examine(chunk_.pairs[i], letters);
  });
}

}  // namespace dragoman::health
