// Translates many sentences together, step by step. A sentence leaves as soon as it is done, and a waiting one takes
// its place. On the CPU, a sentence's result does not depend on the others.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "dragoman/decode/engine/admission.h"
#include "dragoman/decode/engine/engine_capacity.h"
#include "dragoman/decode/engine/request.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/decode/search/beam.h"
#include "dragoman/decode/search/search.h"
#include "dragoman/decode/search/single.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

// The most hypotheses that one sentence has at once.
std::int64_t max_rows(const SearchSettings& settings);
// The most cells that one client may occupy: enough for the hypotheses of limits.sentences sentences to grow to their
// limits. A cell stores one target token of a hypothesis. A fair engine has some more cells (see EngineCapacity).
std::int64_t max_cells(const SearchSettings& settings, const EngineLimits& limits);

// Throws a UsageError if the request can never be translated: its source is empty or longer than limits.source_tokens,
// or its prefix fills the `limit` tokens of the translation.
void check_request(const TranslationRequest& request, const EngineLimits& limits, std::int64_t limit);

// The beginning of a translation under way, as far as it can no longer change.
struct Settled {
  std::uint64_t number = 0;  // of the request
  data::Sentence tokens;     // the best hypothesis will begin with these
};

struct Result {
  std::uint64_t number = 0;            // of the request
  bool failed = false;                 // the model's scores were not finite numbers, so there is no hypothesis
  std::vector<Hypothesis> hypotheses;  // best first
  std::int64_t steps = 0;              // number of steps that the search took
  std::unique_ptr<Trace> trace;        // null unless the request asked for a trace or for links
};

class Engine {
 public:
  // Several models vote with the mean of their probabilities; they must have the same vocabularies. The engine takes
  // memory from the backend's arena and keeps it until it is destroyed.
  Engine(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
         const EngineLimits& limits);

  // Puts the sentence into the queue. Throws a UsageError if it can never be translated: its source is empty or longer
  // than the limit, its prefix is as long as the translation may be, or its own search settings need more cells than
  // max_cells(). Later sentences may overtake one that does not fit now, but only for a limited time.
  void add(TranslationRequest request);
  // Drops the request. Does nothing if its result has already been returned.
  void cancel(std::uint64_t number);
  // The most tokens that the translation may have, EOS included.
  std::int64_t limit(const TranslationRequest& request) const;
  std::int64_t waiting() const { return admission_.waiting(); }
  std::int64_t waiting(const std::string& client) const { return admission_.waiting(client); }
  std::int64_t under_way() const { return static_cast<std::int64_t>(active_.size()); }
  bool idle() const { return waiting() == 0 && active_.empty() && ready_.empty(); }

  // Admits waiting sentences and takes one step with all that are under way. Returns the results of those that are
  // done, in the order in which they entered.
  std::vector<Result> step();
  // One entry for each sentence under way whose options ask to follow it.
  std::vector<Settled> settled() const;

 private:
  using Search = std::variant<BeamSearch, SingleSearch>;
  struct Active {
    Active(TranslationRequest request_, std::unique_ptr<Trace> trace_)
        : request(std::move(request_)), trace(std::move(trace_)) {}

    TranslationRequest request;
    std::unique_ptr<Trace> trace;
    Search search;
    bool cancelled = false;  // if true, it leaves at the next step
  };

  const SearchSettings& search_of(const TranslationRequest& request) const {
    return request.options.search ? *request.options.search : settings_;
  }
  SentenceNeeds needs_of(const TranslationRequest& request) const;
  void leave(const Active& active);
  void drop_cancelled();

  void admit();
  bool take_memory(const TranslationRequest& request);
  std::unique_ptr<Active> make_active(TranslationRequest request) const;
  void encode(std::span<const std::unique_ptr<Active>> sentences);
  std::vector<Tensor> run_models();
  void choose(std::span<const Tensor> next, std::vector<Result>& results);

  Backend& on_;
  ArenaScope memory_;
  std::vector<const model::Seq2Seq*> models_;
  SearchSettings settings_;
  EngineLimits limits_;
  std::int64_t V_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  // the longest sentence that all models can read

  Admission admission_;
  std::vector<Result> ready_;                    // results of requests that need no step
  std::vector<std::unique_ptr<Active>> active_;  // sentences under way, in the order of their rows
  std::vector<model::DecoderState> states_;      // one for each model
  std::vector<std::int32_t> ids_;                // the word that each row reads next
  std::vector<std::int32_t> entering_;           // numbers from DecoderState::enter(), still to be encoded
};

}  // namespace dragoman::decode
