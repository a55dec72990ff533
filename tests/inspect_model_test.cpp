// dragoman inspect --model: a model that exists.
#include <gtest/gtest.h>

#include <filesystem>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/directory.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

class InspectModel : public SmallModelTest {
 protected:
  Ending inspect(const std::string& flags) const { return run("inspect --model " + flags); }
  std::int64_t parameters() const {
    return parse_json(inspect(model + " --json").out, "the report")["parameters"].get<std::int64_t>();
  }
};

TEST_F(InspectModel, ShowsWhereAModelComesFromAndItsSizes) {
  model::ModelInfo info = model::read_info(model);
  info.source_language = "en";
  info.target_language = "de";
  info.provenance =
      R"({"program": "dragoman 1", "steps": 12000, "target_tokens": 5000, "weights": "the latest weights"})";
  model::write_info(model, info);
  const Ending ending = inspect(model);
  EXPECT_EQ(ending.status, 0) << ending.err;
  const std::string words = std::to_string(info.config.source_vocabulary());
  EXPECT_TRUE(ending.out.starts_with(model + ": " + info.config.describe() +
                                     "\n\n"
                                     "architecture transformer\n"
                                     "languages    en to de\n"
                                     "vocabulary   " +
                                     words +
                                     " tokens, for both languages\n"
                                     "training     12,000 steps, 5,000 target tokens, dragoman 1\n"
                                     "weights      the latest weights; float32, 0.1 MB\n\n"))
      << ending.out;
  EXPECT_NE(ending.out.find("enc.*.self.W_Q"), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("training FLOPs per step"), std::string::npos);
}

TEST_F(InspectModel, CountsOneStep) {
  model::ModelInfo info = model::read_info(model);
  info.provenance = R"({"steps": 1, "target_tokens": 1})";
  model::write_info(model, info);
  const std::string text = inspect(model).out;
  EXPECT_NE(text.find("training     1 step, 1 target token\n"), std::string::npos) << text;
}

TEST_F(InspectModel, PrintsJson) {
  const Json report = parse_json(inspect(model + " --json").out, "the report");
  EXPECT_EQ(report["model"], model);
  EXPECT_EQ(report["arch"], "transformer");
  EXPECT_EQ(report["weights"]["type"], "float32");
  EXPECT_EQ(report["weights"]["bytes"], std::filesystem::file_size(model + "/model.safetensors"));
  EXPECT_FALSE(report.contains("preset"));
  std::int64_t sum = 0;
  for (const auto& tensor : report["tensors"]) {
    std::int64_t count = 1;
    for (const auto& size : tensor["shape"]) count *= size.get<std::int64_t>();
    sum += count;
  }
  EXPECT_EQ(report["parameters"], sum);
}

TEST_F(InspectModel, KnowsTheTypeOfAnExportedModel) {
  for (const std::string type : {"int8", "bf16"}) {
    ASSERT_EQ(run("export --model " + model + " --precision " + type + " --output " + file(type)).status, 0);
    const Json report = parse_json(inspect(file(type) + " --json").out, "the report");
    EXPECT_EQ(report["weights"]["type"], type == "int8" ? "int8" : "bfloat16");
    EXPECT_EQ(report["parameters"], parameters());
  }
}

TEST_F(InspectModel, RefusesWhatIsNotThisModel) {
  expect_one_sentence(inspect("/no/such/model"), 1, "there is no model directory '/no/such/model'");
  expect_one_sentence(inspect(model + " --preset base"), 2, "give either --model or --preset, not both.");
  expect_one_sentence(inspect(model + " --heads 4"), 2,
                      "inspect: heads is 2 in the model '" + model + "', not 4; leave this setting out.");
  EXPECT_EQ(inspect(model + " --heads 2").status, 0);
  replace_file(model + "/model.safetensors", "x");
  expect_one_sentence(inspect(model), 1, "model.safetensors");
}

}  // namespace
}  // namespace dragoman
