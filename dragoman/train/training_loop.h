// The loop of updates of a prepared run, and what it does between them: records, validations, checkpoints, the model
// that it publishes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "dragoman/train/prepared_run.h"

namespace dragoman::train {

class TrainingLoop {
 public:
  explicit TrainingLoop(PreparedRun& run) : run_(run), state_(run.state) {}

  RunResult run();

 private:
  // An update that the device is busy with, and what is to be told of it.
  struct UnderWay {
    data::Position first;
    double flops = 0;
  };

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
  void publish();
  void write_report() const;

  Progress progress() const;
  double sum_of_squares(const Array& values) const;
  // Throws the Error of a run that diverged: a checkpoint must be worth going on from.
  void require_finite(double number) const;

  PreparedRun& run_;
  RunState& state_;  // the run's
  std::deque<UnderWay> under_way_;
  std::optional<double> gradient_norm_;  // of the last update
};

}  // namespace dragoman::train
