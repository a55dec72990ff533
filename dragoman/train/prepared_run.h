// A training run before its first update: reads and checks everything, plans the memory, and builds the model.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/base/files.h"
#include "dragoman/data/loader.h"
#include "dragoman/data/token_cache.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/probe.h"
#include "dragoman/train/report/events.h"
#include "dragoman/train/report/metrics.h"
#include "dragoman/train/run.h"
#include "dragoman/train/trainer.h"
#include "dragoman/train/validation.h"

namespace dragoman::train {

class PreparedRun {
  // These come first so that they are destroyed last: the members below use them.
  bool is_new_;                        // the directory did not exist before
  std::optional<DirectoryLock> lock_;  // of rank 0
  std::optional<Checkpoint> resumed_;  // the checkpoint that the run resumes from
  TextSettings old_text_;              // of that checkpoint
  bool plan_again_ = false;            // the run resumes with other settings, so it needs a new memory plan
  std::optional<model::Tokenizers> tokenizers_;
  std::optional<data::TokenCache> cache_;

 public:
  // Throws an Error if the run cannot start or resume; nothing has been computed then, and a directory that did not
  // exist before is removed again. Ranks other than 0 wait until rank 0 is ready and take its state; they have no
  // probe, and write no files.
  PreparedRun(const RunRequest& request_, Watcher& watcher_, exchange::Exchange& exchange_);

  const TrainingSettings& settings() const { return state.settings; }
  const std::filesystem::path& directory() const { return request.directory; }
  std::filesystem::path metrics_file() const { return directory() / "metrics.jsonl"; }
  // All tensors of a checkpoint.
  TrainingTensors tensors() const;

  const RunRequest request;
  Watcher& watcher;
  exchange::Exchange& exchange;
  RunState state;
  model::ModelConfig config;  // with the actual sizes of the vocabularies
  std::unique_ptr<Backend> on;
  std::unique_ptr<exchange::Exchange> gpus;  // carries the arrays of `exchange` if GPUs are connected; else absent
  std::unique_ptr<model::Seq2Seq> model;
  std::unique_ptr<params::ParameterBlock> block;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Validator> validator;  // optional
  std::unique_ptr<Probe> probe;          // optional
  std::unique_ptr<data::Loader> loader;
  std::unique_ptr<MetricsFile> metrics;
  std::unique_ptr<EventFile> events;  // optional
  double machine_rate = 0;            // floating-point operations per second of all ranks, see train::machine_rate()

 private:
  void prepare();
  void follow();
  void instruct_others();
  void agree_to_start();
  void require_same_directory(const std::string& mark) const;
  void require_divisible() const;
  void resume();
  // Whether the checkpoint is intact; if it is damaged, reports that to the watcher.
  bool is_whole(const Checkpoint& checkpoint) const;
  void require_no_other_model() const;
  void open_corpus();
  void check_text(std::uint64_t key);
  void make_plan();
  void open_validation();
  void build_model();
  void start_weights();
  // The ranks come together here: all must be ready.
  void divide_updates();
  void connect_devices();
  data::LoaderSettings loader_settings() const;
  DeviceAndType device_and_type() const;
  std::int64_t vocabulary_bytes() const;
};

// Makes the directory of a run consistent with its newest checkpoint, which has this state: removes later frames of the
// film, gives the best weights their final name, and removes old checkpoints. Without a checkpoint the step is 0.
void tidy(const std::filesystem::path& directory, const RunState& state);

}  // namespace dragoman::train
