// Translates text to text: loads one or several model directories and translates lines. Commands, the server and other
// programs use this interface.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/decode/engine/engine.h"
#include "dragoman/decode/inside/alignment.h"
#include "dragoman/decode/inside/forced.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/text/known_words.h"

namespace dragoman::decode {

// What to do with a line that is not UTF-8 text: stop with an error, copy it to the output, or output an empty line.
enum class BadLine : std::uint8_t { kStop, kKeep, kEmpty };
constexpr std::array<std::string_view, 3> names(BadLine) { return {"stop", "keep", "empty"}; }

// The name of a line in messages, such as "'text.en' line 7".
using NameLine = std::function<std::string(std::int64_t number)>;

struct TranslatorOptions {
  SearchSettings search = {};
  Device device = {};
  int threads = 0;                   // 0 for as many as the machine has
  int workers = 1;                   // number of batches at a time; the workers share the threads
  std::int64_t batch_size = 64;      // most sentences of a batch
  std::int64_t batch_tokens = 4096;  // most source tokens of a batch
  std::int64_t longest = 1024;       // a line with more source tokens, or more than the model can read, is split
  BadLine bad_line = BadLine::kStop;
  std::string bad_line_advice = "correct or remove it.";         // for kStop, the end of the message
  std::optional<WeightForm> weights = std::nullopt;              // to compute with; default: as stored, or bf16 on CUDA
  std::optional<HeadChoice> alignment = std::nullopt;            // align words by these heads; default: no alignment
  bool traces = false;                                           // make a Trace of every line
  std::function<void(const std::string& sentence)> report = {};  // see BackendOptions; any worker may call it
  NameLine name_line = {};  // for messages about lines; any worker may call it. Default: "line 7"
  // Deliver a line for which the model's scores are not finite numbers, with TranslatedLine::failed and without a
  // translation; the default is to throw an Error that names the line.
  bool deliver_failed = false;
  // The most bytes of the device for a worker's batches, see device_memory(); 0 for as many as there are.
  std::int64_t worker_memory = 0;
  bool fair = false;  // lines belong to several clients, and no client may fill a batch alone while others wait
};

struct SourceLine {
  std::string text;
  std::string prefix = {};         // the text that its translation must begin with
  data::Sentence prefix_ids = {};  // the same as tokens; replaces `prefix` unless empty
  RequestOptions options = {};
  std::optional<std::int64_t> number = std::nullopt;  // for the random numbers of sampling; defaults to its position

  // For a line that comes in parts. Only the first part has a prefix.
  bool continues = false;  // the line continues in the next part
  std::int64_t part = 0;   // index of the part, counted from 0; the translator fills it in
  bool bad = false;        // this part or an earlier one is not UTF-8
};

struct TranslatedLine {
  std::int64_t number = 0;  // of the line
  std::string text;
  double log_probability = 0, score = 0;
  bool finished = true;             // false if the translation reached the length limit before its end
  bool repeats = false;             // the translation repeats itself, see repeats_itself()
  bool odd_length = false;          // it is much longer or shorter than its source, see suspicious_length()
  bool unknown = false;             // its source has text that the vocabulary does not know, see has_unknown()
  std::vector<std::string> unseen;  // words of its source that the models never saw, see Translator::known_words()
  bool bad = false;                 // the line is not UTF-8 and was not translated
  bool failed = false;              // it has no translation, because the model's scores were not finite numbers
  std::int64_t pieces = 1;          // number of pieces in which it was translated
  std::int64_t steps = 0;           // number of steps that the decoder took for it
  std::int64_t tokens = 0;          // of the translation, EOS excluded
  bool continues = false;           // the translation of the line continues in the next part

  // Only for a line in one piece. Both sentences include EOS, the target even if it is unfinished.
  data::Sentence source, target;
  AttentionMap attention;                    // if TranslatorOptions::alignment is set
  std::vector<Hypothesis> hypotheses;        // n_best of them, best first
  std::shared_ptr<const Trace> trace;        // if asked for; it contains the best hypothesis only
  std::vector<std::vector<WordLink>> links;  // if asked for, of each hypothesis; empty for an unfinished one
  std::vector<HeadProjections> projections;
  NextWords next_words;                   // see Forced
  std::vector<NextWords> layer_words;     // see Forced
  std::optional<LayerSteps> layer_steps;  // see Forced
  Pondering pondering;                    // see Forced; only with a trace
};

// The likelihood of a given translation.
struct Likelihood {
  double nll = 0;                                 // -log P(translation | line), in nats
  std::int64_t tokens = 0;                        // of the translation, EOS included
  PonderTime source_time = {}, target_time = {};  // of a model that halts: the sums of N + R
};

// Writes the next line to `line`, or returns false at the end. When a stop is requested, no more lines are needed; a
// function that may wait for long should check for that.
using NextLine = std::function<bool(SourceLine& line, const std::stop_token& stop)>;
using DeliverLine = std::function<void(const TranslatedLine& line)>;

// Most bytes of a line that are translated as one part.
inline constexpr std::size_t kPartBytes = 1 << 16;

class LineQueue;

class Translator {
 public:
  // Throws an Error if the directory does not hold a complete model.
  explicit Translator(const std::filesystem::path& directory, const TranslatorOptions& options = {});
  // Several models vote with the mean of their probabilities; they must have the same vocabularies and languages.
  Translator(const std::vector<std::filesystem::path>& directories, const TranslatorOptions& options);
  ~Translator();

  // Returns one result for each line, in order; a line's result does not depend on the others. The translation of a
  // line without text has no text. Throws a UsageError that names the first line that is not UTF-8 (if
  // options().bad_line is kStop) or whose prefix is too long, and an Error that names the first line that failed (see
  // TranslatorOptions::deliver_failed). Lines are counted from `first_line`.
  std::vector<TranslatedLine> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

  // The same for a stream of lines, in bounded memory: each result is delivered as soon as it and all results before it
  // are there. `next` is called from another thread.
  void translate(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line = 1);

  // The same in memory that does not grow with the length of a line: the translation of a line of more than kPartBytes
  // is delivered part by part. `next` may also give such a line in parts. add_part() joins parts to a line.
  void translate_parts(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line = 1);

  // The likelihood of each given translation under the models, by teacher forcing and without label smoothing. There is
  // none for a pair if one side has no token, or more tokens than options().longest. Throws an Error if the models'
  // scores are not finite numbers.
  std::vector<std::optional<Likelihood>> likelihoods(std::span<const std::string> lines,
                                                     std::span<const std::string> translations);

  const model::LoadedModel& model() const { return *models_.front(); }
  // The words that at least one of the models was trained on; empty if one of them has no list of its words.
  const text::KnownWords& known_words() const { return known_words_; }
  const TranslatorOptions& options() const { return options_; }

  // Runs one of the workers, counted from 0, on the lines of a queue until there are no more. For callers that assign
  // lines to workers themselves; each worker needs its own thread.
  void work(int worker, LineQueue& queue);

 private:
  std::vector<Likelihood> forced(std::span<const data::SentencePair> pairs);

  TranslatorOptions options_;
  std::vector<std::unique_ptr<Backend>> backends_;  // one for each worker
  std::vector<std::unique_ptr<model::LoadedModel>> models_;
  text::KnownWords known_words_;
};

}  // namespace dragoman::decode
