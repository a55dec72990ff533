// Tasks that need no text and no vocabulary, so if learning fails, the fault is in the model or its training. A working
// model learns in a minute to repeat a string of symbols or to reverse it. Chasing pointers takes longer: each hop
// needs the one before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/backend/choice.h"
#include "dragoman/base/fields.h"
#include "dragoman/data/batch.h"
#include "dragoman/model/architecture.h"
#include "dragoman/model/model_config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/trainer.h"

namespace dragoman::demo {

// kChase: the source is a start, the number k of hops, written as a symbol, and kChasePairs pairs a b in random order,
// which say that b follows a. The answer is the k-th successor of the start.
enum class ToyTask : std::uint8_t { kReverse, kCopy, kChase };
constexpr std::array<std::string_view, 3> names(ToyTask) { return {"reverse", "copy", "chase"}; }

inline constexpr int kChasePairs = 12, kChaseHops = 6;

// The strings of kChase in a lesson: they have from `fewest_pairs` to `pairs` pairs and from 1 to `hops` hops.
struct ChaseLesson {
  int fewest_pairs = kChasePairs, pairs = kChasePairs, hops = kChaseHops;
};

// Training goes from lesson to lesson: one hop along short lists, then along longer ones, and again for each further
// hop. The last lesson is the task. With it alone, the loss stays for thousands of updates where guessing leaves it.
class ChaseCourse {
 public:
  // A lesson is over when the running mean of its losses is no more than this. Half of the tokens are EOS, which costs
  // nothing, so of the answers some 95 to 99 % are right.
  static constexpr double kLearned = 0.04;

  const ChaseLesson& lesson() const;
  // Takes the loss per token of an update with strings of lesson().
  void add(double loss);

 private:
  static constexpr double kUnknown = 1;

  std::size_t number_ = 0;
  double mean_ = kUnknown;
};

struct ToySettings {
  ToyTask task = ToyTask::kReverse;
  int symbols = 50;
  int longest = 25;
  int steps = 700;
  int batch = 128;
  int threads = 0;
  DeviceChoice device = DeviceChoice::kCpu;
  std::uint64_t seed = 1;
  std::optional<model::Preset> preset = std::nullopt;  // the model and its training; by default "symbols"

  // Throws a UsageError that names the first setting that is out of range.
  void validate() const;
};

// The id of the first symbol. The ids before it are reserved in every vocabulary.
std::int32_t first_symbol();
// The preset of an architecture for a task: its first one for pointers, if that is the task, or else for symbols.
const model::Preset& toy_preset(const std::string& architecture, ToyTask task = ToyTask::kReverse);
model::ModelConfig toy_config(const ToySettings& settings);

// The hops k of a pair of the task kChase.
int hops_of(const data::SentencePair& pair);

// `count` random strings with their answers. Each stream number gives different strings.
std::vector<data::SentencePair> toy_pairs(const ToySettings& settings, int count, std::uint64_t stream,
                                          const ChaseLesson& lesson = {});

// A model with its backend and parameters, which train() teaches the task.
struct ToyModel {
  explicit ToyModel(const ToySettings& settings);

  // Trains for settings.steps updates, calling `report` after each.
  void train(const std::function<void(int step, const train::Losses& losses)>& report);
  // The share of `pairs` that greedy decoding answers without a mistake.
  double exact_match(const std::vector<data::SentencePair>& pairs) const;
  // The share of the right answers' positions at which the attention of the decoder to the source, if it is that of a
  // single head, is largest at the symbol to write: position n - 1 - t of n symbols when reversing. Absent for models
  // with other attention.
  std::optional<double> right_attention(const std::vector<data::SentencePair>& pairs) const;
  // What the answers to pairs of kChase with k hops are like.
  struct Hops {
    int k = 0;
    std::int64_t pairs = 0, right = 0;
    // Mean steps of the answer's position in the decoder, and of the source tokens; of a model that halts.
    std::optional<double> answer_steps = std::nullopt, source_steps = std::nullopt;
  };
  struct Chase {
    std::vector<Hops> hops;  // for each k from 1 on
    // Pearson's correlation of k with these steps over all pairs; absent if the steps are all the same.
    std::optional<double> answer_correlation = std::nullopt, source_correlation = std::nullopt;
  };
  Chase chase(const std::vector<data::SentencePair>& pairs) const;
  // The model's answer to one string, by greedy decoding, without EOS.
  data::Sentence answer(const data::Sentence& source) const;

  ToySettings settings;
  std::unique_ptr<Backend> on;
  model::ModelConfig config;
  std::unique_ptr<model::Seq2Seq> model;
  params::ParameterBlock block;
  ChaseCourse course;  // of the task kChase
};

}  // namespace dragoman::demo
