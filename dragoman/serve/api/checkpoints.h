// The checkpoints of the runs that a server knows. A checkpoint is loaded when it is first asked for, and leaves again
// when others have been asked for since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::serve {

struct ServedModel;

struct CheckpointEntry {
  std::string name;  // "demo@400": the name of the model and the step
  std::string of;    // the name of the model
  std::int64_t step = 0;
  std::filesystem::path directory = {};
};

class Checkpoints {
 public:
  using Loaded = std::vector<std::shared_ptr<ServedModel>>;
  using Load = std::function<std::shared_ptr<ServedModel>(const CheckpointEntry& entry)>;
  using Retire = std::function<void(Loaded models)>;

  // At most `most` checkpoints are loaded at a time, apart from those that requests still use; with 0 there are none.
  // `retire` takes those that have to leave.
  Checkpoints(std::size_t most, Load load, Retire retire)
      : most_(most), load_(std::move(load)), retire_(std::move(retire)) {}

  // The checkpoints of a model that are on the disk now, by step.
  std::vector<CheckpointEntry> list(const std::string& model, const std::filesystem::path& directory) const;

  // The model of a checkpoint, which is loaded if necessary. Throws a Refusal (503) while another checkpoint is being
  // loaded, so that a client who asks for many does not keep all threads busy.
  std::shared_ptr<ServedModel> get(const CheckpointEntry& entry);

  Loaded loaded() const;
  // Lets the first checkpoints leave until at most `kept` are loaded.
  void reduce_to(std::size_t kept);

 private:
  std::shared_ptr<ServedModel> find(const std::string& name);

  std::size_t most_;
  Load load_;
  Retire retire_;
  std::mutex loading_;
  mutable std::mutex mutex_;
  Loaded loaded_;  // the one that was asked for last is the last
};

}  // namespace dragoman::serve
