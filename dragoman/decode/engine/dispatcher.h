// Gives every sentence to the engine that can search for it: on the device where that is faster, else on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/engine/device_engine.h"
#include "dragoman/decode/engine/engine.h"

namespace dragoman::decode {

// Where account of hypotheses is kept. Results are the same.
enum class Place : std::uint8_t {
  kUsual,   // on a GPU, if it is what computes, as far as it can be
  kHost,    // always on the host
  kDevice,  // wherever it can be, as tests do
};

// As Engine.
class Dispatcher {
 public:
  Dispatcher(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
             const EngineLimits& limits, Place place = Place::kUsual);

  void add(Request request);
  void cancel(std::uint64_t number);
  std::int64_t limit(const Request& request) const;
  std::int64_t waiting() const;
  std::int64_t waiting(const std::string& client) const;
  std::int64_t under_way() const;
  bool idle() const;
  std::vector<Result> step();
  std::vector<Settled> settled() const;

  const DeviceEngine* on_device() const { return device_.get(); }

 private:
  Engine& host();

  Backend& on_;
  std::vector<const model::Seq2Seq*> models_;
  SearchSettings settings_;
  EngineLimits limits_;
  // Either may be missing. In this order: the second one's memory lies above the first one's.
  std::unique_ptr<DeviceEngine> device_;
  std::unique_ptr<Engine> host_;  // made when a sentence needs it
};

// All of them with one engine of their own size, in their order.
std::vector<std::vector<Hypothesis>> search(Backend& on, const model::Seq2Seq& model,
                                            std::span<const data::Sentence> sources, const SearchSettings& settings,
                                            Place place = Place::kUsual);
// The likeliest word each time.
std::vector<Hypothesis> greedy(Backend& on, const model::Seq2Seq& model, std::span<const data::Sentence> sources,
                               int max_extra = 50);

}  // namespace dragoman::decode
