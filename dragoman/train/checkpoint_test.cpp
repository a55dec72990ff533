#include "dragoman/train/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <limits>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::train {
namespace {

class CheckpointTest : public data::CorpusTest {
 protected:
  Checkpoint write(std::int64_t step) {
    return write_checkpoint(directory, step, *small.on, tensors(), {{"step", step}});
  }
  TrainingTensors tensors() const {
    return {.weights = small.block.tensors(), .moments = small.block.tensors_in(small.block.gradients())};
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const Checkpoint& checkpoint : list_checkpoints(directory)) found.push_back(checkpoint.step);
    return found;
  }

  model::SmallModel small;
};

TEST_F(CheckpointTest, ReadsBackAsItWas) {
  const Checkpoint checkpoint = write(3);
  EXPECT_EQ(read_state(checkpoint)["step"], 3);
  model::SmallModel other(model::small_config(), {.seed = 2});
  read_tensors(checkpoint, *other.on,
               {.weights = other.block.tensors(), .moments = other.block.tensors_in(other.block.gradients())});
  EXPECT_EQ(values_of(*other.on, other.parameter("enc.0.self.W_Q")),
            values_of(*small.on, small.parameter("enc.0.self.W_Q")));
}

TEST_F(CheckpointTest, AreListedByStepAndUnfinishedOnesAreNot) {
  for (const std::int64_t step : {100, 20, 3}) write(step);
  make_directory(directory / "checkpoints" / "step-200.unfinished");
  make_directory(directory / "checkpoints" / "step-x");
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 20, 100}));
  remove_remnants(directory);
  EXPECT_FALSE(std::filesystem::exists(directory / "checkpoints" / "step-200.unfinished"));
  remove_checkpoint(list_checkpoints(directory)[1]);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 100}));
}

TEST_F(CheckpointTest, DamageIsNamedByItsFile) {
  const Checkpoint checkpoint = write(3);
  for (const char* name : {"model.safetensors", "optimiser.safetensors", "state.json"}) {
    const std::string whole = read_file(checkpoint.path / name);
    replace_file(checkpoint.path / name, whole + " ");
    EXPECT_NE(data::error_message_of([&] { read_state(checkpoint); }).find(std::string(name) + "' is damaged"),
              std::string::npos);
    replace_file(checkpoint.path / name, whole);
  }
  EXPECT_EQ(read_state(checkpoint)["step"], 3);
}

// While it exists, no file can be opened.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(CheckpointTest, AFileThatCannotBeReadIsNotCalledDamaged) {
  const Checkpoint checkpoint = write(3);
  const auto expect_unreadable = [&](const std::function<void()>& read) {
    std::string damage, error_message;
    const NoMoreFiles none;
    error_message = data::error_message_of([&] { damage = data::error_message_of<DamagedFile>(read); });
    EXPECT_EQ(damage, "");
    EXPECT_NE(error_message.find("(too many open files)"), std::string::npos) << error_message;
  };
  expect_unreadable([&] { read_state(checkpoint); });
  expect_unreadable([&] { read_unchecked_state(checkpoint); });
  expect_unreadable([&] { list_checkpoints(directory); });

  for (const char* name : {"checksums.json", "model.safetensors", "optimiser.safetensors", "state.json"}) {
    const std::string whole = read_file(checkpoint.path / name);
    std::filesystem::remove(checkpoint.path / name);
    EXPECT_THROW(read_state(checkpoint), DamagedFile) << name;
    replace_file(checkpoint.path / name, whole.substr(1));
    EXPECT_THROW(read_state(checkpoint), DamagedFile) << name;
    replace_file(checkpoint.path / name, whole + std::string(1 << 16, ' '));
    EXPECT_THROW(read_state(checkpoint), DamagedFile) << name;
    std::filesystem::remove(checkpoint.path / name);
    std::filesystem::create_symlink("/dev/zero", checkpoint.path / name);
    EXPECT_THROW(read_state(checkpoint), DamagedFile) << name;
    std::filesystem::remove(checkpoint.path / name);
    replace_file(checkpoint.path / name, whole);
  }
}

TEST_F(CheckpointTest, RefusesValuesThatAreNotFiniteAndNegativeSecondMoments) {
  const auto error_message = [&](const std::string& prefix, float value) {
    TrainingTensors written = tensors();
    for (params::NamedTensor& tensor : written.moments) {
      tensor.name = prefix + tensor.name;
      small.on->fill(tensor.values, value);
    }
    const Checkpoint checkpoint = write_checkpoint(directory, 3, *small.on, written, {{"step", 3}});
    return data::error_message_of([&] { read_tensors(checkpoint, *small.on, written); });
  };
  EXPECT_EQ(error_message("m.", -1), "");
  EXPECT_EQ(error_message("v.", 0), "");
  EXPECT_NE(error_message("v.", -1e-9f).find("holds numbers below 0"), std::string::npos);
  for (const char* prefix : {"m.", "v.", "average."}) {
    for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      EXPECT_NE(error_message(prefix, value).find("not finite"), std::string::npos) << prefix << value;
    }
  }
  Array weights = small.block.values();
  small.on->fill(weights, std::numeric_limits<float>::quiet_NaN());
  EXPECT_NE(error_message("m.", 0).find("not finite"), std::string::npos);
}

TEST_F(CheckpointTest, RemnantsAreClearedAwayAndAFailureIsNamed) {
  make_directory(directory / "checkpoints");
  replace_file(directory / "checkpoints" / "step-9.unfinished", "");
  EXPECT_EQ(read_state(write(9))["step"], 9);
  std::filesystem::remove_all(directory / "checkpoints");
  replace_file(directory / "checkpoints", "a file where the directory should be");
  EXPECT_NE(data::error_message_of([&] { write(12); }).find("cannot make the directory"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
