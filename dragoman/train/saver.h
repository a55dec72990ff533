// Saves checkpoints and publishes the model. If the memory plan has room for a snapshot, the state is copied and a
// thread writes the copy while training goes on. Otherwise training waits. The files have the same bytes either way.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/train/checkpoint.h"
#include "dragoman/train/prepared_run.h"
#include "dragoman/train/run_state.h"
#include "dragoman/train/snapshot.h"

namespace dragoman::train {

class Saver {
 public:
  explicit Saver(PreparedRun& run);

  // What to write of the current state.
  struct Parts {
    bool best = false;        // the weights (their moving average, if there is one), as the best validated ones
    bool checkpoint = false;  // a checkpoint; then the model is published
  };
  // To be called between updates, by the thread that trains, as all functions here. Waits for the previous save first.
  void save(const Parts& parts);
  // Waits for the last save. Throws the Error that it ended with, if it failed; only once.
  void finish();
  // The same if the last save has ended; otherwise does nothing.
  void finish_if_ended();

  // Publishes the model of the current state.
  void publish();
  // Whether the directory has a model of the current step, which may also be a mean that `dragoman average` put there.
  // Changed settings may lead to another one.
  bool is_published();
  // Which weights the model has, as publish_weights() says; known when the save has ended. Empty if there is no model.
  const std::string& published() const { return published_; }

 private:
  // A save, with everything that its thread needs: the run changes meanwhile.
  struct Job {
    Parts parts;
    Backend* on = nullptr;  // reads the tensors
    RunState state;
    TrainingTensors tensors;
    std::vector<params::NamedTensor> average;  // the moving average and the buffers; empty if there is none
  };

  Job job_of(const Parts& parts) const;
  void move_to_snapshot(Job& job) const;
  // These may run in a thread of their own. They return which weights the model has.
  std::string write(const Job& job) const;
  std::string publish(const Job& job) const;

  PreparedRun& run_;
  std::unique_ptr<Snapshot> snapshot_;  // optional
  Job job_;                             // the last one; does not change while it is written
  std::string published_;
  std::future<std::string> writing_;  // the last member, so that it is destroyed first: its thread uses the others
};

}  // namespace dragoman::train
