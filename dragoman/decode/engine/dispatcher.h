// Gives each sentence to the engine that can translate it: DeviceEngine where that is faster, otherwise Engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/engine/device_engine.h"
#include "dragoman/decode/engine/engine.h"

namespace dragoman::decode {

// Where the searches run. The results are the same.
enum class Place : std::uint8_t {
  kAutomatic,  // if the model runs on a GPU, on the GPU where DeviceEngine can do it; otherwise on the host
  kHost,       // always on the host
  kDevice,     // on any device, the CPU too, where DeviceEngine can do it; for tests
};

// The same interface as that of Engine.
class Dispatcher {
 public:
  Dispatcher(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
             const EngineLimits& limits, Place place = Place::kAutomatic);

  void add(TranslationRequest request);
  void cancel(std::uint64_t number);
  std::int64_t limit(const TranslationRequest& request) const;
  std::int64_t waiting() const;
  std::int64_t waiting(const std::string& client) const;
  std::int64_t under_way() const;
  bool idle() const;
  std::vector<Result> step();
  std::vector<Settled> settled() const;

  // Null if all sentences are searched on the host.
  const DeviceEngine* on_device() const { return device_.get(); }

 private:
  Engine& host();

  Backend& on_;
  std::vector<const model::Seq2Seq*> models_;
  SearchSettings settings_;
  EngineLimits limits_;
  // Either may be null. The order matters: the host engine takes its arena memory last, so it must be destroyed first.
  std::unique_ptr<DeviceEngine> device_;
  std::unique_ptr<Engine> host_;  // if there is a device engine, created when the first sentence needs it
};

// Translates all sources with one engine that has room for all of them. Returns the hypotheses of each source, in
// order. Throws an Error if the model's scores for one of them are not finite numbers.
std::vector<std::vector<Hypothesis>> search(Backend& on, const model::Seq2Seq& model,
                                            std::span<const data::Sentence> sources, const SearchSettings& settings,
                                            Place place = Place::kAutomatic);

struct GreedySettings {
  int max_extra = 50;
  // The word that every translation begins with, such as the code of a language; see Tokenizer::first().
  std::optional<std::int32_t> first = std::nullopt;
};
// Greedy search: takes the likeliest word each time. Returns one hypothesis for each source.
std::vector<Hypothesis> greedy(Backend& on, const model::Seq2Seq& model, std::span<const data::Sentence> sources,
                               const GreedySettings& settings = {});

}  // namespace dragoman::decode
