// Reads a parallel text on several threads and counts what is in it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dragoman/base/threads.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/health/corpus_reader.h"
#include "dragoman/health/languages.h"
#include "dragoman/health/line_check.h"
#include "dragoman/health/repeats.h"
#include "dragoman/health/text_report.h"

namespace dragoman::health {

// The survey of a text's beginning. If the text cannot be read, what could be read of it: TextExaminer reports why.
Survey survey_of(const data::ParallelFiles& files);

struct PairFacts {
  LineFacts source, target;
  bool foreign_source = false, foreign_target = false;
  bool usable = false;  // both sides have text in UTF-8
  bool equal = false, odd_length = false;
  PairHashes hashes;  // if it is usable
};

// Examines single pairs, on any thread.
class PairExaminer {
 public:
  // The survey tells the languages of both sides, and how long a target should be.
  PairExaminer(const Survey& survey, bool with_folded_hashes)
      : judge_(survey), length_ratio_(survey.length_ratio()), with_folded_hashes_(with_folded_hashes) {}

  // `letters` is scratch memory.
  PairFacts operator()(const RawPair& pair, text::LetterList& letters) const;

 private:
  void examine(const std::string& line, Side side, LineFacts& facts, bool& foreign, text::LetterList& letters) const;
  bool is_odd(std::int64_t source_characters, std::int64_t target_characters) const;

  LanguageJudge judge_;
  double length_ratio_;
  bool with_folded_hashes_;
};

// Reads texts one after the other.
class TextExaminer {
 public:
  using OnPair = std::function<void(const PairHashes& pair, const Place& place)>;
  using Progress = std::function<void(std::int64_t pairs)>;  // gets the number of pairs of all texts so far; optional

  TextExaminer(int threads, Progress progress) : team_(threads), progress_(std::move(progress)) {}

  // Calls on_pair for each usable pair, in order.
  TextReport operator()(const data::ParallelFiles& files, const PairExaminer& examine, const OnPair& on_pair);

 private:
  // Pairs and what was found out about them. Reuses its memory from chunk to chunk.
  struct Chunk {
    Chunk();
    void read(CorpusReader& reader);

    std::vector<RawPair> pairs;
    std::vector<PairFacts> facts;
    std::size_t count = 0;
  };
  void read(CorpusReader& reader, const PairExaminer& examine, TextReport& report, const OnPair& on_pair);
  void examine_chunk(CorpusReader& reader, const PairExaminer& examine);

  ThreadTeam team_;
  Progress progress_;
  Chunk chunk_, following_;
  std::int64_t done_ = 0;
};

}  // namespace dragoman::health
