// dragoman export --format: models for other programs. The models in tests/models were made by CTranslate2's own
// converter, so that files of this program can be compared with them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/export/export_for.h"
#include "dragoman/model/foreign/ctranslate2.h"
#include "dragoman/model/import/import.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

using model::ExportFormat;
using model::ExportPrecision;
using model::foreign::CTranslate2File;

const fs::path kModels = fs::path(DRAGOMAN_SOURCE_DIR) / "tests/models";
const fs::path kConverted = kModels / "ctranslate2";

class Export : public SmallModelTest {
 protected:
  // A model that CTranslate2's converter wrote, imported.
  std::string imported() const {
    make_directory(file("ct2"));
    for (const char* name : {"config.json", "shared_vocabulary.json"}) {
      fs::copy_file(kConverted / name, file("ct2/") + name);
    }
    for (const char* name : {"source.spm", "target.spm"}) fs::copy_file(kModels / "marian" / name, file("ct2/") + name);
    fs::copy_file(kConverted / "float32.bin", file("ct2/model.bin"));
    model::import_model(file("ct2"), file("ours"), {.source = "en", .target = "de"});
    return file("ours");
  }
};

CTranslate2File read(const fs::path& path) {
  return model::foreign::read_ctranslate2(model::foreign::file_bytes(path));
}

std::string bytes_of(const model::foreign::Tensor& tensor) {
  const auto bytes = static_cast<std::uint64_t>(tensor.count()) * model::foreign::element_bytes(tensor.element);
  return tensor.bytes->text(tensor.begin, bytes);
}

TEST_F(Export, HasTheVariablesOfCTranslate2sConverter) {
  const std::string ours = imported();
  for (const ExportPrecision precision : {ExportPrecision::kFloat32, ExportPrecision::kInt8}) {
    const bool is_float = precision == ExportPrecision::kFloat32;
    const std::string to = file(is_float ? "float32" : "int8");
    model::export_for(ExportFormat::kCTranslate2, ours, to, precision);
    const CTranslate2File written = read(to + "/model.bin"),
                          converted = read(kConverted / (is_float ? "float32.bin" : "int8.bin"));
    EXPECT_EQ(written.version, converted.version);
    EXPECT_EQ(written.spec, converted.spec);
    EXPECT_EQ(written.revision, converted.revision);
    for (const auto& [name, variable] : converted.variables) {
      const bool is_table = name.ends_with("position_encodings/encodings");
      if (variable.shape.empty() || is_table) continue;
      ASSERT_TRUE(written.variables.contains(name)) << name;
      EXPECT_EQ(written.variables.at(name).shape, variable.shape) << name;
      EXPECT_EQ(bytes_of(written.variables.at(name)), bytes_of(variable)) << name;
    }
    // The converter's file has more settings, with their defaults.
    for (const auto& [name, variable] : written.variables) {
      ASSERT_TRUE(converted.variables.contains(name)) << name;
      if (!variable.shape.empty()) continue;
      EXPECT_EQ(written.number(name), converted.number(name)) << name;
    }
    EXPECT_EQ(parse_json(read_file(to + "/shared_vocabulary.json"), "ours"),
              parse_json(read_file(kConverted / "shared_vocabulary.json"), "theirs"));
  }
}

TEST_F(Export, TellsWhatItWroteAndWhatTheOtherProgramCannotDo) {
  const std::string command = "export --model " + model + " --output " + file("out") + " --format ";
  const Ending made = run(command + "ctranslate2");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.out, "wrote '" + file("out") + "' for ctranslate2\n");
  EXPECT_EQ(made.err,
            "export: CTranslate2 cannot translate sentences of more than 1024 tokens with this model, because it has a "
            "table of "
            "positions.\n");
  const float width = static_cast<float>(model::small_config().d_model);
  EXPECT_FLOAT_EQ(*read(file("out/model.bin")).number("encoder/scale_embeddings"), std::sqrt(width));
  expect_one_sentence(run(command + "argos"), 2, "already exists");
  fs::remove_all(file("out"));
  expect_one_sentence(run(command + "argos"), 1, "which languages it translates");
  EXPECT_FALSE(fs::exists(file("out")));
}

}  // namespace
}  // namespace dragoman
