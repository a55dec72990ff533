#include "dragoman/model/export/export_for.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/import/import.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/steps_testing.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;
using transformer::Norm;
using transformer::Positions;

// A model in a directory, with memory as tests of models expect it.
struct Loaded {
  explicit Loaded(const fs::path& directory)
      : on(make_backend(Device{})), loaded(*on, directory, WeightForm::kFloat32), model(*loaded.model) {}

  Sentence source() const {
    const text::Tokenizer& tokenizer = loaded.tokenizers.source;
    return tokenizer.with_end(tokenizer.encode("one two seven three"));
  }
  // The log-probabilities of all words after each word of a translation.
  Doubles log_p(const Sentence& of) const {
    const text::Tokenizer& tokenizer = loaded.tokenizers.target;
    return decoder_rows(*this, {of}, {shifted(*this, tokenizer.with_end(tokenizer.encode("nine five five")))}, 0,
                        Output::kLogProbabilities);
  }

  std::unique_ptr<Backend> on;
  LoadedModel loaded;
  const Seq2Seq& model;
};

void expect_same(const Doubles& a, const Doubles& b, double tolerance, const std::string& name) {
  ASSERT_EQ(a.size(), b.size()) << name;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << name << ", " << i;
}

class ExportFor : public data::CorpusTest {
 protected:
  // Writes a model with random weights.
  fs::path model(TransformerConfig config, const std::string& name = "model") const {
    const text::Tokenizer& words = data::word_tokenizer();
    config.V_source = config.V_target = static_cast<int>(words.size());
    SmallModel small(config);
    small.add_noise();
    make_directory(directory / name);
    write_info(directory / name, {.config = config, .source_language = "en", .target_language = "de"});
    write_tokenizers(directory / name, {words, words}, true);
    write_safetensors(weights_file(directory / name), *small.on, small.block.saved());
    return directory / name;
  }
  fs::path exported(ExportFormat format, const fs::path& from, const std::string& name) const {
    export_for(format, from, directory / name, ExportPrecision::kFloat32);
    return directory / name;
  }
  fs::path imported(const fs::path& from) const {
    const fs::path to = from.string() + "-ours";
    import_model(from, to);
    return to;
  }
  std::string error_of(ExportFormat format, const TransformerConfig& config,
                       ExportPrecision precision = ExportPrecision::kFloat32) const {
    const fs::path from = model(config);
    const std::string message = data::error_message_of([&] { export_for(format, from, directory / "out", precision); });
    EXPECT_FALSE(fs::exists(directory / "out"));
    EXPECT_FALSE(fs::exists(unfinished_path(directory / "out")));
    return message;
  }
};

TEST_F(ExportFor, CTranslate2ThereAndBackIsTheSameNetwork) {
  TransformerConfig plain = small_config(), other = small_config(), untied = small_config();
  other.tie = Tie::kDecoder;
  other.norm = Norm::kPre;
  other.positions = Positions::kSinusoidT2T;
  other.first_position = 1;
  other.activation = nn::HiddenActivation::kGelu;
  other.attention_bias = true;
  other.h_dec = 4;
  other.d_ff_dec = 24;
  other.decoder_start = DecoderStart::kEos;
  untied.tie = Tie::kNone;
  untied.positions = Positions::kLearned;
  untied.first_position = 2;
  untied.scale = transformer::EmbeddingScale::kNone;
  untied.output_bias = true;
  untied.decoder_start = DecoderStart::kZeroVector;
  untied.ln_eps = 1e-3f;
  for (const auto& [name, config] : {std::pair{"plain", plain}, {"other", other}, {"untied", untied}}) {
    const fs::path ours = model(config, name);
    const fs::path back = imported(exported(ExportFormat::kCTranslate2, ours, name + std::string("-ct2")));
    const Loaded before(ours), after(back);
    expect_same(after.log_p(after.source()), before.log_p(before.source()), 1e-6, name);
    if (config.positions != Positions::kLearned) {
      EXPECT_EQ(read_file(weights_file(back)), read_file(weights_file(ours)));
    }
  }
}

TEST_F(ExportFor, TransformersThereAndBackGivesTheSameProbabilities) {
  TransformerConfig plain = small_config(), other = small_config();
  plain.ln_eps = other.ln_eps = 1e-5f;
  other.tie = Tie::kDecoder;
  other.positions = Positions::kSinusoidHalf;
  other.activation = nn::HiddenActivation::kSilu;
  other.attention_bias = other.output_bias = true;
  other.decoder_start = DecoderStart::kEos;
  for (const auto& [name, config] : {std::pair{"plain", plain}, {"other", other}}) {
    const fs::path ours = model(config, name);
    const Loaded before(ours), after(imported(exported(ExportFormat::kTransformers, ours, name + std::string("-hf"))));
    expect_same(after.log_p(after.source()), before.log_p(before.source()), 1e-5, name);
  }
}

TEST_F(ExportFor, ArgosThereAndBackIsTheSameNetworkAndLanguages) {
  const fs::path ours = model(small_config());
  const fs::path back = imported(exported(ExportFormat::kArgos, ours, "package.argosmodel"));
  EXPECT_EQ(read_file(weights_file(back)), read_file(weights_file(ours)));
  const ModelInfo info = read_info(back);
  EXPECT_EQ(info.source_language, "en");
  EXPECT_EQ(info.target_language, "de");
  const Json search = parse_json(read_search(back), "search.json");
  EXPECT_EQ(search["rules"], "ctranslate2");
  EXPECT_EQ(search["alpha"], 0.2);
  EXPECT_FALSE(fs::exists(unfinished_path(directory / "package.argosmodel")));
}

// As in models of OpenNMT.
TEST_F(ExportFor, SourcesMayLackAnEnd) {
  const fs::path ours = model(small_config());
  const fs::path theirs = exported(ExportFormat::kCTranslate2, ours, "ct2");
  std::string config = read_file(theirs / "config.json");
  const std::string ends = "\"add_source_eos\": true", lacks = "\"add_source_eos\": false";
  ASSERT_NE(config.find(ends), std::string::npos);
  replace_file(theirs / "config.json", config.replace(config.find(ends), ends.size(), lacks));
  const fs::path back = imported(theirs);
  const Loaded before(ours), after(back);
  Sentence source = before.source();
  source.pop_back();
  EXPECT_EQ(after.source(), source);
  expect_same(after.log_p(after.source()), before.log_p(source), 1e-6, "without an end");
  const fs::path again = exported(ExportFormat::kCTranslate2, back, "again");
  EXPECT_NE(read_file(again / "config.json").find(lacks), std::string::npos);
}

TEST_F(ExportFor, Int8RoundsTheWeights) {
  const fs::path ours = model(small_config());
  export_for(ExportFormat::kCTranslate2, ours, directory / "ct2", ExportPrecision::kInt8);
  const Loaded before(ours), after(imported(directory / "ct2"));
  expect_same(after.log_p(after.source()), before.log_p(before.source()), 0.2, "int8");
  EXPECT_NE(after.log_p(after.source()), before.log_p(before.source()));
}

TEST_F(ExportFor, RefusesWhatTheOtherProgramLacks) {
  TransformerConfig config = small_config();
  config.window = 4;
  EXPECT_NE(error_of(ExportFormat::kCTranslate2, config).find("its setting 'window' is 4"), std::string::npos);
  config = small_config();
  config.d_k = 5;
  EXPECT_NE(error_of(ExportFormat::kCTranslate2, config).find("its setting 'd-k' is 5"), std::string::npos);
  config = small_config();
  config.norm = Norm::kPre;
  EXPECT_NE(error_of(ExportFormat::kTransformers, config).find("'norm' is pre"), std::string::npos);
  config = small_config();
  config.positions = Positions::kSinusoidT2T;
  EXPECT_NE(error_of(ExportFormat::kTransformers, config).find("'positions' is neither"), std::string::npos);
  config = small_config();
  config.decoder_start = DecoderStart::kZeroVector;  // the row of <pad> is random
  EXPECT_NE(error_of(ExportFormat::kTransformers, config).find("the row of <pad>"), std::string::npos);
  EXPECT_NE(error_of(ExportFormat::kCTranslate2, small_config(), ExportPrecision::kBFloat16).find("not in bf16"),
            std::string::npos);
  EXPECT_NE(error_of(ExportFormat::kTransformers, small_config(), ExportPrecision::kInt8).find("in fp32"),
            std::string::npos);
  for (const char* other : {"rnn", "conv", "universal"}) {
    ModelInfo info;
    info.config = architecture(other).presets.front().model;
    write_info(directory / "model", info);
    EXPECT_EQ(data::error_message_of([&] {
                export_for(ExportFormat::kCTranslate2, directory / "model", directory / "out",
                           ExportPrecision::kFloat32);
              }),
              join("a model of the architecture '", other,
                   "' cannot be exported for another program; only models of the architecture 'transformer' can."));
  }
}

TEST_F(ExportFor, DoesNotReplaceWhatExists) {
  const fs::path ours = model(small_config());
  write("package.argosmodel", "mine");
  for (const ExportFormat format : {ExportFormat::kArgos, ExportFormat::kCTranslate2}) {
    EXPECT_NE(data::error_message_of<UsageError>([&] { exported(format, ours, "package.argosmodel"); }), "");
  }
  EXPECT_EQ(read_file(directory / "package.argosmodel"), "mine");
}

}  // namespace
}  // namespace dragoman::model
