// Translates many sentences at once, with the same results as Engine, but keeps the searches themselves on the device
// (see backend/beam.h). The host launches steps without waiting for their outcome, and reads from time to time which
// sentences are done. The comment at the top of the source file explains how a step works.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dragoman/decode/engine/engine.h"

namespace dragoman::decode {

class DeviceEngine {
 public:
  // Whether the device can run such searches: beam search with at most kMaxBeam hypotheses or greedy search, without
  // no_repeat_ngram and with the paper's rules, with one model whose steps do not need the host.
  static bool supports(std::span<const model::Seq2Seq* const> models, const SearchSettings& settings);

  // Takes memory from the backend's arena and keeps it until it is destroyed.
  DeviceEngine(Backend& on, const model::Seq2Seq& model, const SearchSettings& settings, const EngineLimits& limits);

  // Whether this sentence can be searched on the device: it has no search settings of its own, it is not traced or
  // followed, no heads are switched off, and its translation fits into the tables.
  bool accepts(const TranslationRequest& request) const;

  // The same interface as that of Engine. Sentences that are done may stay under way for a few more steps, until
  // several can be collected together. If entering sentences cannot be encoded, step() throws and they are lost; the
  // others go on.
  void add(TranslationRequest request);
  void cancel(std::uint64_t number);
  std::int64_t limit(const TranslationRequest& request) const;
  std::int64_t waiting() const { return admission_.waiting(); }
  std::int64_t waiting(const std::string& client) const { return admission_.waiting(client); }
  std::int64_t under_way() const { return admission_.under_way(); }
  bool idle() const { return waiting() == 0 && under_way() == 0 && ready_.empty(); }
  std::vector<Result> step();

  // The number of kernel launches of a recorded step, the largest of all recordings; 0 if nothing was recorded.
  std::int64_t launches() const;

 private:
  // A sentence in a slot.
  struct Active {
    TranslationRequest request;
    std::int64_t order = 0;  // sentences that entered before it
    // The most steps of its search, and the value of step_ at which it has taken that many.
    std::int64_t limit = 0, last_step = 0;
    // Its rows of the memory, one for each source token, start with memory_first. Its B_ * limit cells, which store the
    // keys and values of target tokens, start with first_cell.
    std::int64_t memory_first = 0, first_cell = 0;
    bool cancelled = false;  // if true, its result is dropped
  };
  // A recorded step, and the conditions under which it may be replayed: launches contain addresses of the arena, and
  // the bounds positions_ and sources_.
  struct Recorded {
    std::size_t mark = 0;  // how much of the arena was in use
    std::int64_t positions = 0, sources = 0;
    std::unique_ptr<Replay> replay;  // null until the step runs for the second time
  };

  SentenceNeeds needs_of(const TranslationRequest& request) const;
  void admit();
  std::optional<Active> take_memory(const TranslationRequest& request);
  void encode(std::span<const std::int64_t> slots);
  void start(std::span<const std::int32_t> entering, std::span<const std::int32_t> prefixes);
  std::int64_t slots_for(std::int64_t count) const;
  void compact_slots();
  void launch();
  void run_step(std::int64_t slots) const;
  std::int64_t known_done();
  void collect(std::vector<Result>& results);
  void leave(std::int64_t slot);

  Backend& on_;
  ArenaScope memory_;
  const model::Seq2Seq& model_;
  SearchSettings settings_;
  EngineLimits limits_;
  BeamRules rules_;
  std::int64_t B_, T_;  // rows of a slot, which is the width of the beam; most steps of a search
  Admission admission_;
  std::int64_t S_;              // slots: one for each sentence that may be under way
  std::int64_t words_per_row_;  // likeliest words that a step computes for each row

  model::StateArrays state_;                      // on the device: the memory of the encoded sources, and the cells
  model::NumberRanges free_memory_, free_cells_;  // which rows of the memory and which cells are unused
  BeamSlots slots_;                               // on the device: the state of the searches

  std::vector<Result> ready_;                  // results of requests that need no step
  std::vector<std::optional<Active>> places_;  // the sentence in each slot
  std::int64_t entered_ = 0;                   // number of sentences that have entered so far
  std::int64_t used_ = 0;                      // a step computes the first used_ slots
  // Upper bounds of the limits and of the source tokens of all sentences so far.
  std::int64_t positions_ = 0, sources_ = 0;
  std::int64_t step_ = 0;        // steps launched so far
  std::uint32_t collected_ = 0;  // searches collected so far; wraps around as BeamSlots::done does
  std::deque<std::unique_ptr<HostCopy>>
      done_counts_;                            // copies of BeamSlots::done on their way, one for each launched step
  std::map<std::int64_t, Recorded> recorded_;  // by number of slots
};

}  // namespace dragoman::decode
