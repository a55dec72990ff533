// Many sentences searched at once as by Engine, with the searches themselves on the device: the host launches steps
// that it need not see the result of, and looks from time to time which sentences are done. Gives what Engine gives.
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
  // Whether it can search so: by beam or greedily, with one model whose steps need nothing of the host, and without
  // what looks at every word.
  static bool can(std::span<const model::Seq2Seq* const> models, const SearchSettings& settings);

  // Takes memory from the backend's arena for as long as it lives.
  DeviceEngine(Backend& on, const model::Seq2Seq& model, const SearchSettings& settings, const EngineLimits& limits);

  // Whether this sentence can be searched so: as all others, without a prefix, unobserved, and not too long for the
  // tables.
  bool takes(const Request& request) const;

  // As of Engine. Sentences that are done may stay under way for a few steps, until several are. If those that are to
  // enter cannot be encoded, step() throws and they are lost; the others go on.
  void add(Request request);
  void cancel(std::uint64_t number);
  std::int64_t limit(const Request& request) const;
  std::int64_t waiting() const { return admission_.waiting(); }
  std::int64_t waiting(const std::string& client) const { return admission_.waiting(client); }
  std::int64_t under_way() const { return admission_.under_way(); }
  bool idle() const { return waiting() == 0 && under_way() == 0 && ready_.empty(); }
  std::vector<Result> step();

  // Launches of a step, as far as they are counted.
  std::int64_t launches() const;

 private:
  struct Active {
    Request request;
    std::int64_t order = 0;  // in which it entered
    std::int64_t limit = 0, last_step = 0;
    std::int64_t memory_first = 0, first_cell = 0;
    bool unwanted = false;
  };
  // A step whose launches were kept, and what they hold for.
  struct Recorded {
    std::size_t mark = 0;  // of the arena
    std::int64_t positions = 0, sources = 0;
    std::unique_ptr<Replay> replay;
  };
  // What the device knows of the first slots.
  struct Tables;

  void make_tables();
  RoomNeeds needs_of(const Request& request) const;
  void admit();
  std::optional<Active> take_memory(const Request& request);
  void encode(std::span<const std::int64_t> slots);
  void start(std::span<const std::int32_t> entering);
  std::int64_t slots_for(std::int64_t count) const;
  void close_ranks();
  void launch();
  void run_step(std::int64_t slots) const;
  std::int64_t known_done();
  void collect(std::vector<Result>& results);
  Result finish(std::int64_t slot, const Tables& tables);
  void leave(std::int64_t slot);

  Backend& on_;
  ArenaScope memory_;
  const model::Seq2Seq& model_;
  SearchSettings settings_;
  EngineLimits limits_;
  BeamRules rules_;
  std::int64_t B_, T_;
  Admission admission_;
  std::int64_t S_;  // slots: one a place of the room
  std::int64_t words_;

  model::StateArrays state_;
  model::NumberRanges free_memory_, free_cells_;
  BeamSlots slots_;

  std::vector<Result> ready_;  // what took no step at all
  std::vector<std::optional<Active>> places_;
  std::int64_t entered_ = 0;                  // sentences so far
  std::int64_t used_ = 0;                     // slots of a step
  std::int64_t positions_ = 0, sources_ = 0;  // bounds of what is under way
  std::int64_t step_ = 0;                     // steps launched
  std::uint32_t collected_ = 0;               // searches that have left; it overflows where BeamSlots::done does
  std::deque<std::unique_ptr<HostCopy>> news_;
  std::map<std::int64_t, Recorded> recorded_;  // by slots
};

}  // namespace dragoman::decode
