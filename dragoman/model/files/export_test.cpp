#include "dragoman/model/files/export.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/quantise.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"

namespace dragoman::model {
namespace {

class ExportTest : public data::CorpusTest {
 protected:
  ExportTest() {
    info.config = small_config();
    info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
    small = std::make_unique<SmallModel>(info.config);
    small->add_noise();
    make_directory(model);
    write_info(model, info);
    write_tokenizers(model, {data::word_tokenizer(), data::word_tokenizer()}, true);
    write_safetensors(weights_file(model), *small->on, small->block.tensors());
  }
  std::filesystem::path copy(ExportPrecision precision, const char* name) const {
    export_model(model, directory / name, precision);
    return directory / name;
  }
  // All values of a tensor of the model in a directory.
  std::vector<float> numbers(const std::filesystem::path& from, const std::string& name) const {
    for (const params::NamedTensor& tensor : small->block.tensors()) {
      if (tensor.name != name) continue;
      std::vector<float> values(static_cast<std::size_t>(tensor.shape.count()));
      read_rows(SafetensorsFile(weights_file(from)), tensor, 0, values);
      return values;
    }
    throw Error("no tensor " + name);
  }
  std::string error_message(const std::filesystem::path& from, const std::filesystem::path& to) const {
    return data::error_message_of<UsageError>([&] { export_model(from, to, ExportPrecision::kInt8); });
  }

  ModelInfo info;
  std::unique_ptr<SmallModel> small;
  const std::filesystem::path model = directory / "model";
};

TEST_F(ExportTest, Float32WeightsStayTheSame) {
  EXPECT_EQ(read_file(weights_file(copy(ExportPrecision::kFloat32, "same"))), read_file(weights_file(model)));
}

TEST_F(ExportTest, BFloat16IsRoundedToTheNearest) {
  const std::filesystem::path to = copy(ExportPrecision::kBFloat16, "half");
  const auto exact = numbers(model, "embed.E"), near = numbers(to, "embed.E");
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_LE(std::abs(near[i] - exact[i]), std::abs(exact[i]) / 256);
  EXPECT_EQ(numbers(to, "enc.0.ln1.gamma"), numbers(model, "enc.0.ln1.gamma"));
  EXPECT_EQ(stored_form(SafetensorsFile(weights_file(to))), WeightForm::kFloat32);
}

TEST_F(ExportTest, Int8ValuesAreWithinHalfAStepOfTheExactOnes) {
  const std::filesystem::path to = copy(ExportPrecision::kInt8, "int8");
  for (const std::string name : {"embed.E", "enc.0.self.W_Q", "dec.1.ffn.W_2"}) {
    const auto exact = numbers(model, name), near = numbers(to, name);
    const Shape shape = small->parameter(name).shape();
    // One step is 1 / 127 of the largest magnitude in the column, or in the row of a word for the embedding.
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const auto cols = static_cast<std::size_t>(shape.cols());
      LargestMagnitude largest;
      for (std::size_t j = 0; j < exact.size(); ++j) {
        if (name == "embed.E" ? j / cols == i / cols : j % cols == i % cols) largest.add(exact[j]);
      }
      EXPECT_LE(std::abs(near[i] - exact[i]), largest.value() / 127 * 0.501f) << name << ", element " << i;
    }
  }
  EXPECT_EQ(numbers(to, "enc.0.ln1.gamma"), numbers(model, "enc.0.ln1.gamma"));
}

TEST_F(ExportTest, LoadingAnInt8CopyIsLikeLoadingTheModelInInt8) {
  const std::filesystem::path to = copy(ExportPrecision::kInt8, "int8");
  const LoadedModel copied(*small->on, to), fresh(*small->on, model, WeightForm::kInt8);
  const LoadedModel as_float32(*small->on, to, WeightForm::kFloat32);
  const auto packed_numbers = [&](const LoadedModel& loaded) {
    const PackedMatrix E = loaded.model->output().packed;
    return values_of(*small->on, E.form == WeightForm::kInt8 ? E.scales : E.panels);
  };
  EXPECT_EQ(copied.model->output().packed.form, WeightForm::kInt8);
  EXPECT_EQ(packed_numbers(copied), packed_numbers(fresh));
  EXPECT_EQ(as_float32.model->output().packed.form, WeightForm::kFloat32);
}

TEST_F(ExportTest, ACopyOfACopyIsTheSame) {
  const std::filesystem::path to = copy(ExportPrecision::kInt8, "int8");
  export_model(to, directory / "again", ExportPrecision::kInt8);
  EXPECT_EQ(read_file(weights_file(directory / "again")), read_file(weights_file(to)));
}

TEST_F(ExportTest, TheCopyRecordsItsPrecisionAndOrigin) {
  const ModelInfo read = read_info(copy(ExportPrecision::kInt8, "int8"));
  const Json exported = parse_json(read.provenance, "the provenance")["exported"];
  EXPECT_EQ(exported["precision"], "int8");
  EXPECT_EQ(exported["from"], "model");
  EXPECT_EQ(read_tokenizers(directory / "int8").source.bytes(), data::word_tokenizer().bytes());
}

TEST_F(ExportTest, NothingIsOverwrittenOrLeftBehind) {
  const std::filesystem::path to = copy(ExportPrecision::kInt8, "int8");
  EXPECT_NE(error_message(model, to).find("already exists; name a directory that is new or empty."), std::string::npos);
  EXPECT_NE(error_message(model, model).find("already exists"), std::string::npos);
  std::filesystem::remove(weights_file(model));
  EXPECT_THROW(export_model(model, directory / "other", ExportPrecision::kInt8), Error);
  EXPECT_FALSE(std::filesystem::exists(directory / "other"));
  EXPECT_FALSE(std::filesystem::exists(unfinished_path(directory / "other")));
}

TEST_F(ExportTest, NaNIsRefusedInEveryPrecision) {
  std::string bytes = read_file(weights_file(model));
  bytes.replace(bytes.size() - 4, 4, "\x00\x00\xC0\x7F", 4);  // NaN
  replace_file(weights_file(model), bytes);
  for (const ExportPrecision precision :
       {ExportPrecision::kFloat32, ExportPrecision::kBFloat16, ExportPrecision::kInt8}) {
    EXPECT_THROW(copy(precision, "copy"), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "copy"));
}

TEST_F(ExportTest, DamagedScalesAreRefused) {
  const std::filesystem::path to = copy(ExportPrecision::kInt8, "int8");
  const std::string whole = read_file(weights_file(to));
  const auto load_with = [&](std::size_t place, const std::string& bytes) {
    std::string changed = whole;
    changed.replace(place, bytes.size(), bytes);
    replace_file(weights_file(to), changed);
    return data::error_message_of([&] { LoadedModel(*small->on, to); });
  };
  std::uint64_t header = 0;
  std::memcpy(&header, whole.data(), sizeof header);
  const std::size_t start = 8 + header, integers = numbers(model, "embed.E").size();
  EXPECT_NE(load_with(start, "\x80").find("'embed.E' holds -128"), std::string::npos);
  const std::string nan("\0\0\xC0\x7F", 4);
  EXPECT_NE(load_with(start + integers, nan).find("'embed.E.scale' holds a scale that is negative or not finite"),
            std::string::npos);
  const std::size_t name = whole.find("embed.E.scale");
  EXPECT_NE(load_with(name, "embed.E.scals").find("does not fit"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::model
