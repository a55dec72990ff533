// dragoman export --format: models for other programs. The models in tests/models were made by CTranslate2's own
// converter, so that files of this program can be compared with them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/model/export/export_for.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/foreign/ctranslate2.h"
#include "dragoman/model/import/import.h"
#include "dragoman/model/steps_testing.h"
#include "dragoman/model/testing.h"
#include "tests/foreign_models.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

using model::ExportFormat;
using model::ExportPrecision;
using model::foreign::CTranslate2File;

const fs::path kConverted = kForeignModels / "ctranslate2";

class Export : public SmallModelTest {
 protected:
  // A model that CTranslate2's converter wrote, imported.
  std::string imported() const {
    const std::string converted = ctranslate2_fixture("float32").write_to(file("ct2"));
    model::import_model(converted, file("ours"), {.source = "en", .target = "de"});
    return file("ours");
  }
};

// A model with memory as tests of models expect it.
struct Loaded {
  explicit Loaded(const std::string& directory)
      : on(make_backend(Device{})), loaded(*on, directory, WeightForm::kFloat32), model(*loaded.model) {}

  std::unique_ptr<Backend> on;
  model::LoadedModel loaded;
  const model::Seq2Seq& model;
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

TEST_F(Export, RefusesADamagedSearchAsTranslateDoes) {
  for (const auto& [search, problem] :
       {std::pair(R"({"beam": 5000})", "beam is 5000; it must be from 1 to 1000."), std::pair("", "is not JSON;")}) {
    write("model/search.json", search);
    const Ending translated = translate("one\n");
    expect_one_sentence(translated, 1, "model/search.json'");
    expect_one_sentence(translated, 1, problem);
    const Ending exported = run("export --model " + model + " --output " + file("copy"));
    expect_one_sentence(exported, 1, translated.err.substr(translated.err.find("'")));
    EXPECT_FALSE(fs::exists(file("copy")));
  }
}

// A package as its authors make them: see tests/make_argos_package.py.
TEST_F(Export, APackageOfArgosGivesTheScoresOfCTranslate2ThereAndBack) {
  const fs::path package = kForeignModels / "argos/en_de.argosmodel";
  model::import_model(package, file("ours"));
  model::export_for(ExportFormat::kArgos, file("ours"), file("again.argosmodel"), ExportPrecision::kFloat32);
  model::import_model(file("again.argosmodel"), file("again"));
  EXPECT_EQ(read_file(model::weights_file(file("again"))), read_file(model::weights_file(file("ours"))));
  EXPECT_EQ(model::read_info(file("again")).target_language, "de");

  const Loaded ours(file("again"));
  const auto& [from, to] = ours.loaded.tokenizers;
  const auto V = static_cast<std::size_t>(ours.model.target_vocabulary());
  decode::SearchSettings settings = decode::search_of_model(file("again"));
  EXPECT_EQ(settings.rules, decode::Rules::kCtranslate2);
  settings.min_length = 0;  // as in the script
  constexpr int kLimit = 23;
  for (const Json& theirs : parse_json(read_file(kForeignModels / "argos/expected.json"), "expected.json")) {
    const data::Sentence source = from.with_end(from.encode(theirs["text"].get<std::string>()));
    EXPECT_NE(source.back(), kEos);
    data::Sentence target;
    for (const Json& word : theirs["target"]) target.push_back(*to.id(word.get<std::string>()));
    target.push_back(kEos);
    const Doubles rows =
        model::decoder_rows(ours, {source}, {model::shifted(ours, target)}, 0, model::Output::kLogProbabilities);
    for (std::size_t n = 0; n < target.size(); ++n) {
      EXPECT_NEAR(rows[n * V + static_cast<std::size_t>(target[n])], theirs["log_probabilities"][n].get<double>(), 1e-5)
          << theirs["text"];
    }
    settings.max_extra = kLimit - static_cast<int>(source.size()) + 1;
    const auto found = decode::search(*ours.on, ours.model, std::span(&source, 1), settings).front().front();
    std::vector<std::string> words;
    for (const std::int32_t id : found.tokens) words.push_back(to.piece(id));
    EXPECT_EQ(words, theirs["translation"].get<std::vector<std::string>>()) << theirs["text"];
    EXPECT_NEAR(found.score, theirs["score"].get<double>(), 1e-5) << theirs["text"];
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
