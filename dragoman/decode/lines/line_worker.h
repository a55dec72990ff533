// One of a translator's workers: takes lines, cuts them into sentences of tokens, keeps its engine filled, and puts the
// results together again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/line_desk.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// What a worker's engine may have under way.
EngineLimits engine_limits(const TranslatorOptions& options);

class LineWorker {
 public:
  // What is given must outlive the worker.
  LineWorker(Backend& on, const std::vector<const model::LoadedModel*>& models, const TranslatorOptions& options,
             LineDesk& desk);

  // Until no line is left, or nobody wants the rest.
  void run();

 private:
  // A line under way, piece by piece.
  struct Parts {
    std::vector<data::Sentence> sources;  // EOS included
    std::vector<Result> results;
    std::vector<data::Sentence> settled;  // of a line that is followed
    std::string told;                     // what its asker knows of it
    RequestOptions options;               // as the line has them
    std::size_t left = 0;
  };

  void begin(const LineDesk::Line& line);
  void enter(std::int64_t number, std::vector<Request> requests);
  void cancel(std::int64_t number);
  void follow();
  std::string settled_text(const Parts& parts) const;
  void collect(std::vector<Result> results);
  TranslatedLine compose(std::int64_t number, Parts& parts) const;
  void project(TranslatedLine& line, const RequestOptions& options) const;
  void align(std::vector<TranslatedLine>& lines) const;

  Backend& on_;
  const std::vector<const model::LoadedModel*>& models_;
  const TranslatorOptions& options_;
  LineDesk& desk_;
  Dispatcher engine_;
  std::map<std::int64_t, Parts> under_way_;
};

}  // namespace dragoman::decode
