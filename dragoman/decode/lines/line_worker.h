// One of a translator's workers: takes lines, splits them into pieces of tokens, keeps its engine busy with them, and
// joins the results.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/line_queue.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// The limits of a worker's engine.
EngineLimits engine_limits(const TranslatorOptions& options);

class LineWorker {
 public:
  // All arguments must outlive the worker.
  LineWorker(Backend& on, const std::vector<const model::LoadedModel*>& models, const text::KnownWords& known_words,
             const TranslatorOptions& options, LineQueue& queue);

  // Works until no more lines will come, or until the queue has given up.
  void run();

 private:
  // A line under way. The vectors have one entry for each of its pieces.
  struct ActiveLine {
    std::vector<data::Sentence> sources;  // EOS included
    std::vector<Result> results;          // without hypotheses until the piece is done
    std::vector<data::Sentence> settled;  // with options.follow: the words that are already certain
    std::string reported;                 // the settled text that was last reported
    RequestOptions options;               // those of the line
    std::vector<std::string> unseen;      // see TranslatedLine
    std::size_t left = 0;                 // pieces that are not done
  };

  void begin(const LineQueue::Line& line);
  std::vector<data::Sentence> pieces_of(const SourceLine& source) const;
  void enter(std::int64_t number, std::vector<TranslationRequest> requests);
  void cancel(std::int64_t number);
  void follow();
  std::string settled_text(const ActiveLine& active) const;
  void collect(std::vector<Result> results);
  TranslatedLine compose(std::int64_t number, ActiveLine& active) const;
  // Adds the projections, next words and steps that the options ask for.
  void look_inside(TranslatedLine& line, const RequestOptions& options) const;
  void align(std::vector<TranslatedLine>& lines) const;

  Backend& on_;
  const std::vector<const model::LoadedModel*>& models_;
  const text::KnownWords& known_words_;
  const TranslatorOptions& options_;
  LineQueue& queue_;
  Dispatcher engine_;
  std::map<std::int64_t, ActiveLine> under_way_;
};

}  // namespace dragoman::decode
