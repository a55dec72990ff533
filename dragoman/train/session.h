// One session of a training run: everything that is set up before the first update, and the loop of updates.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dragoman/base/files.h"
#include "dragoman/data/loader.h"
#include "dragoman/data/token_cache.h"
#include "dragoman/model/directory.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/metrics.h"
#include "dragoman/train/probe.h"
#include "dragoman/train/run.h"
#include "dragoman/train/trainer.h"
#include "dragoman/train/validation.h"

namespace dragoman::train {

class Session {
 public:
  // Reads, checks and plans all there is; throws before anything is computed if it cannot go on.
  Session(const RunRequest& request, Watcher& watcher);

  RunResult run();

 private:
  // An update that the device is busy with, and what is to be told of it.
  struct UnderWay {
    data::Position first;
    double flops = 0;
  };

  void resume();
  // Whether it is whole; if it is damaged, says so.
  bool is_whole(const Checkpoint& checkpoint) const;
  void require_no_other_model() const;
  void open_corpus();
  void make_plan();
  void open_validation();
  void build_model();
  void start_weights();

  std::optional<Ending> reason_to_end();
  void start_update();
  // Accounts for updates until at most so many are under way. Throws an Error if one diverged.
  void settle(std::size_t most);
  void spend(double seconds);
  void record();
  void exchange_with_average();
  void validate();
  void save(bool scheduled);
  void record_probe();
  // Leaves what belongs to the newest checkpoint, and removes what it makes superfluous.
  void tidy() const;
  void publish();
  void write_report() const;

  data::LoaderSettings loader_settings() const;
  std::int64_t vocabulary_bytes() const;
  Progress progress() const;
  TrainingTensors tensors() const;
  double sum_of_squares(const Array& values) const;
  // Throws the Error of a run that diverged: a checkpoint must be worth going on from.
  void require_finite(double number) const;

  const RunRequest request_;
  Watcher& watcher_;
  DirectoryLock lock_;
  RunState state_;
  std::optional<Checkpoint> resumed_;
  bool plan_again_ = false;  // a run that goes on with other settings
  std::optional<model::Tokenizers> tokenizers_;
  model::ModelConfig config_;  // with the vocabularies' true sizes
  std::optional<data::TokenCache> cache_;
  std::unique_ptr<Backend> on_;
  std::unique_ptr<model::Seq2Seq> model_;
  std::unique_ptr<nn::ParameterBlock> block_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<Validator> validator_;
  std::unique_ptr<Probe> probe_;
  std::unique_ptr<data::Loader> loader_;
  std::unique_ptr<MetricsFile> metrics_;
  std::deque<UnderWay> under_way_;
  double machine_rate_ = 0;              // multiply-adds and additions a second that a large product reaches
  std::optional<double> gradient_norm_;  // of the last update
};

}  // namespace dragoman::train
