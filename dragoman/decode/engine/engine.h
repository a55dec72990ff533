// Many sentences translated at once, step by step: those that are done leave at once, and waiting ones take their
// place. A sentence's result does not depend on the others.
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
#include "dragoman/decode/engine/request.h"
#include "dragoman/decode/engine/room.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/decode/search/beam.h"
#include "dragoman/decode/search/search.h"
#include "dragoman/decode/search/single.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

// Hypotheses of one sentence at once, at most.
std::int64_t most_rows(const SearchSettings& settings);
// Cells for the tokens of hypotheses that an engine has: enough for all sentences to grow to their limits.
std::int64_t most_cells(const SearchSettings& settings, const EngineLimits& limits);

// Throws a UsageError if such a translation, of at most `limit` tokens, can never have its turn.
void check_request(const Request& request, const EngineLimits& limits, std::int64_t limit);

// What is certain of a translation under way.
struct Settled {
  std::uint64_t number = 0;
  data::Sentence tokens;  // that the best hypothesis will begin with
};

struct Result {
  std::uint64_t number = 0;
  std::vector<Hypothesis> hypotheses;  // the best first
  std::int64_t steps = 0;              // that the search took
  std::unique_ptr<Trace> trace;        // if one was asked for
};

class Engine {
 public:
  // Models that share their vocabularies vote: the mean of their probabilities decides. Takes memory from the backend's
  // arena for as long as it lives.
  Engine(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
         const EngineLimits& limits);

  // The sentence waits for its turn. Throws a UsageError if it can never have one: its source is longer than the limit,
  // the prefix is as long as the translation may be, or its own search keeps more hypotheses than there is room for.
  // One that does not fit now lets others pass, but not for ever.
  void add(Request request);
  // Nobody wants the result any more. Nothing happens if it has been given.
  void cancel(std::uint64_t number);
  // Tokens that the translation may have, EOS included.
  std::int64_t limit(const Request& request) const;
  std::int64_t waiting() const { return admission_.waiting(); }
  std::int64_t waiting(const std::string& client) const { return admission_.waiting(client); }
  std::int64_t under_way() const { return static_cast<std::int64_t>(active_.size()); }
  bool idle() const { return waiting() == 0 && active_.empty() && ready_.empty(); }

  // Lets waiting sentences in and takes one step with all that are under way. Returns those that are done, in the order
  // in which they entered.
  std::vector<Result> step();
  // Of those under way whose words are asked for.
  std::vector<Settled> settled() const;

 private:
  using Search = std::variant<BeamSearch, SingleSearch>;
  struct Active {
    Active(Request request_, std::unique_ptr<Trace> trace_) : request(std::move(request_)), trace(std::move(trace_)) {}

    Request request;
    std::unique_ptr<Trace> trace;
    Search search;
    bool unwanted = false;
  };

  const SearchSettings& search_of(const Request& request) const {
    return request.options.search ? *request.options.search : settings_;
  }
  RoomNeeds needs_of(const Request& request) const;
  void leave(const Active& active);
  void drop_unwanted();

  void admit();
  bool take_memory(const Request& request);
  std::unique_ptr<Active> make_active(Request request) const;
  void encode(std::span<const std::unique_ptr<Active>> sentences);
  std::vector<Tensor> run_models();
  void choose(std::span<const Tensor> next, std::vector<Result>& results);

  Backend& on_;
  ArenaScope memory_;
  std::vector<const model::Seq2Seq*> models_;
  SearchSettings settings_;
  EngineLimits limits_;
  std::int64_t V_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  // that the models have

  Admission admission_;
  std::vector<Result> ready_;                    // what took no step at all
  std::vector<std::unique_ptr<Active>> active_;  // in the order of their rows
  std::vector<model::DecoderState> states_;      // one a model
  std::vector<std::int32_t> ids_;                // that the rows read next
  std::vector<std::int32_t> entering_;           // numbers of sentences that are yet to be encoded
};

}  // namespace dragoman::decode
