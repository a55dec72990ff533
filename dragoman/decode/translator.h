// Text to text: model directories, ready to translate lines. This is what commands, servers and other programs use.
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

#include "dragoman/decode/alignment.h"
#include "dragoman/decode/engine.h"
#include "dragoman/decode/forced.h"
#include "dragoman/model/directory.h"

namespace dragoman::decode {

// What becomes of a line that is not UTF-8 text.
enum class BadLine : std::uint8_t { kStop, kKeep, kEmpty };
constexpr std::array<std::string_view, 3> names(BadLine) { return {"stop", "keep", "empty"}; }

struct TranslatorOptions {
  SearchSettings search = {};
  Device device = {};
  int threads = 0;                   // 0: as many as the machine offers
  int workers = 1;                   // batches at a time, which share the threads
  std::int64_t batch_size = 64;      // sentences of a batch, at most
  std::int64_t batch_tokens = 4096;  // their source tokens together, at most
  std::int64_t longest = 1024;  // source tokens; a longer line, or one beyond the model's positions, goes in pieces
  BadLine bad_line = BadLine::kStop;
  std::optional<WeightForm> weights = std::nullopt;    // to compute with; nothing: as they are stored, on CUDA bf16
  std::optional<HeadChoice> alignment = std::nullopt;  // of which heads; nothing: none is made
  bool traces = false;
  std::function<void(const std::string& sentence)> report = {};  // see BackendOptions; called by any worker
  bool fair = false;  // lines are of several clients: none gets all the room of a batch
};

struct SourceLine {
  std::string text;
  std::string prefix = {};  // what its translation is to begin with
  RequestOptions options = {};
  std::optional<std::int64_t> number = std::nullopt;  // for the random numbers of sampling; defaults to its position

  // Of a line that comes in parts. Only the first one has a prefix.
  bool continues = false;  // the line goes on in the next part
  std::int64_t part = 0;   // counted from 0; the translator counts
  bool bad = false;        // it is not UTF-8, or an earlier part is not
};

struct TranslatedLine {
  std::int64_t number = 0;  // of the line
  std::string text;
  double log_probability = 0, score = 0;
  bool finished = true;     // false: the length limit came before the end of the sentence
  bool repeats = false;     // the translation says the same again and again
  bool odd_length = false;  // it is much longer or shorter than its source
  bool bad = false;         // the line is not UTF-8, and was not translated
  std::int64_t pieces = 1;  // that it was translated in
  std::int64_t steps = 0;   // that the decoder took for it
  std::int64_t tokens = 0;  // of the translation
  bool continues = false;   // the line's translation goes on in the next part

  // Of a line in one piece: its tokens, EOS included, and those of the translation.
  data::Sentence source, target;
  AttentionMap attention;                // with an alignment
  std::vector<Hypothesis> hypotheses;    // all that were asked for, the best first
  std::shared_ptr<const Trace> trace;    // if asked for; it knows the best hypothesis only
  std::vector<std::vector<Link>> links;  // if asked for, of each hypothesis; none of one that did not end
  std::vector<HeadProjections> projections;
};

// How likely a translation is that was given.
struct Likelihood {
  double nll = 0;           // -log P(translation | line), in nats
  std::int64_t tokens = 0;  // of the translation, the end of the sentence included
};

// Gives the next line, or false at the end. Once `stop` is requested nobody wants the rest: who waits for long should
// look at it.
using NextLine = std::function<bool(SourceLine& line, const std::stop_token& stop)>;
using DeliverLine = std::function<void(const TranslatedLine& line)>;

// Bytes of a line that are translated as one part, at most.
inline constexpr std::size_t kPartBytes = 1 << 16;

class LineDesk;

class Translator {
 public:
  // Throws an Error for a directory that holds no whole model.
  explicit Translator(const std::filesystem::path& directory, const TranslatorOptions& options = {});
  // Several models vote: they must have the same vocabularies.
  Translator(const std::vector<std::filesystem::path>& directories, const TranslatorOptions& options);
  ~Translator();

  // One result a line, in their order; a line's result does not depend on the others. A line without text is translated
  // by one without text. Throws a UsageError that names the first line that is not UTF-8 if that is to stop it, or
  // whose prefix is too long; lines are counted from `first_line`.
  std::vector<TranslatedLine> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

  // The same for lines that are still coming, in bounded memory: results are delivered in order, as soon as they and
  // all before them are there. `next` is called from another thread.
  void translate(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line = 1);

  // The same in memory that does not grow with the length of a line: what a line of more than kPartBytes is translated
  // by is delivered part by part. `next` may give such a line in parts, too. With add_part() the parts make the line.
  void translate_parts(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line = 1);

  // How likely the models find translations of lines that are given, by teacher forcing, with nothing smoothed. Nothing
  // for a pair of which one side has no token, or more of them than options.longest.
  std::vector<std::optional<Likelihood>> likelihoods(std::span<const std::string> lines,
                                                     std::span<const std::string> translations);

  const model::LoadedModel& model() const { return *models_.front(); }
  const TranslatorOptions& options() const { return options_; }

  // Lets one of the workers, counted from 0, serve a desk until it has no more lines. For who hands out lines himself:
  // each worker from a thread of its own.
  void work(int worker, LineDesk& desk);

 private:
  std::vector<double> nll(std::span<const data::SentencePair> pairs);

  TranslatorOptions options_;
  std::vector<std::unique_ptr<Backend>> backends_;  // one a worker
  std::vector<std::unique_ptr<model::LoadedModel>> models_;
};

}  // namespace dragoman::decode
