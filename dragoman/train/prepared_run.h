// A training run before its first update: all that is read, checked, planned and built.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/base/files.h"
#include "dragoman/data/loader.h"
#include "dragoman/data/token_cache.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/probe.h"
#include "dragoman/train/report/metrics.h"
#include "dragoman/train/run.h"
#include "dragoman/train/trainer.h"
#include "dragoman/train/validation.h"

namespace dragoman::train {

class PreparedRun {
  // First, because what is below uses them until it ends.
  DirectoryLock lock_;
  std::optional<Checkpoint> resumed_;
  bool plan_again_ = false;  // a run that goes on with other settings
  std::optional<model::Tokenizers> tokenizers_;
  std::optional<data::TokenCache> cache_;

 public:
  // Throws before anything is computed if the run cannot go on.
  PreparedRun(const RunRequest& request_, Watcher& watcher_);

  const Settings& settings() const { return state.settings; }
  const std::filesystem::path& directory() const { return request.directory; }
  bool is_resumed() const { return resumed_.has_value(); }
  // All that a checkpoint holds.
  TrainingTensors tensors() const;

  const RunRequest request;
  Watcher& watcher;
  RunState state;
  model::ModelConfig config;  // with the vocabularies' true sizes
  std::unique_ptr<Backend> on;
  std::unique_ptr<model::Seq2Seq> model;
  std::unique_ptr<params::ParameterBlock> block;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<Validator> validator;  // optional
  std::unique_ptr<Probe> probe;          // optional
  std::unique_ptr<data::Loader> loader;
  std::unique_ptr<MetricsFile> metrics;
  double machine_rate = 0;  // multiply-adds and additions a second that a large product reaches

 private:
  void resume();
  // Whether it is whole; if it is damaged, says so.
  bool is_whole(const Checkpoint& checkpoint) const;
  void require_no_other_model() const;
  void open_corpus();
  void make_plan();
  void open_validation();
  void build_model();
  void start_weights();
  data::LoaderSettings loader_settings() const;
  std::int64_t vocabulary_bytes() const;
};

// Leaves in the run's directory what belongs to its newest checkpoint, and removes what that makes superfluous.
void tidy(const PreparedRun& run);

}  // namespace dragoman::train
