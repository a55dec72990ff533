#include "dragoman/train/average.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/files/safetensors.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

class AverageTest : public data::CorpusTest {
 protected:
  fs::path weights(const std::string& name, const std::vector<float>& values) const {
    const fs::path path = directory / name;
    const model::TensorLabel label{.name = "w", .shape = {static_cast<std::int64_t>(values.size())}};
    model::SafetensorsWriter file(path, {&label, 1});
    file.write(values);
    file.finish();
    return path;
  }
  static std::vector<float> values_in(const fs::path& path, std::size_t count) {
    std::vector<float> values(count);
    model::SafetensorsFile(path).read("w", 0, values);
    return values;
  }

  const fs::path mean = directory / "mean";
};

TEST_F(AverageTest, IsTheMeanOfEachElement) {
  average_weights(std::vector{weights("a", {1, 2}), weights("b", {2, 2}), weights("c", {6, -1})}, mean);
  EXPECT_EQ(values_in(mean, 2), (std::vector<float>{3, 1}));
}

TEST_F(AverageTest, OfEqualWeightsIsThoseWeights) {
  const std::vector<float> odd{0.1f, -2e-38f, 3e38f, 1.0f / 3, 0.0f, -0.0f};
  for (const std::size_t copies : {1, 3, 7}) {
    average_weights(std::vector(copies, weights("a", odd)), mean);
    EXPECT_EQ(values_in(mean, odd.size()), odd);
    EXPECT_EQ(read_file(mean), read_file(directory / "a"));
  }
}

TEST_F(AverageTest, RefusesDifferentModels) {
  const std::vector files{weights("a", {1, 2}), weights("b", {1, 2, 3})};
  const std::string error_message = data::error_message_of([&] { average_weights(files, mean); });
  EXPECT_NE(error_message.find("are weights of different models."), std::string::npos) << error_message;
  EXPECT_FALSE(fs::exists(mean));
}

}  // namespace
}  // namespace dragoman::train
