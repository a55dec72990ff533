// Every preset and every row of Table 3 on a CUDA device: training, resuming, validation and translation. The models
// have their full widths, but few layers and small vocabularies.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/model/convolutional/config.h"
#include "dragoman/model/recurrent/config.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/testing.h"
#include "dragoman/model/universal/config.h"
#include "dragoman/study/ablate/rows.h"
#include "dragoman/train/trainer.h"
#include "tests/training.h"

namespace dragoman {
namespace {

constexpr Device kCuda{Device::Kind::kCuda, 0};
constexpr int kWords = 101;

struct Recipe {
  std::string name;
  train::TrainingSettings settings;
};

// One layer on each side; in convolutional models, one of each width.
void make_shallow(model::ModelConfig& config) {
  if (config.arch() == model::universal::UniversalConfig::kArch) {
    config.as<model::universal::UniversalConfig>().T = 2;
  } else if (config.arch() == model::convolutional::ConvolutionalConfig::kArch) {
    auto& conv = config.as<model::convolutional::ConvolutionalConfig>();
    std::set<int> widths;
    for (const model::convolutional::LayerSize& layer : conv.encoder()) widths.insert(layer.channels);
    conv.encoder_channels.clear();
    for (const int width : widths) conv.encoder_channels.push_back(std::to_string(width));
    conv.decoder_channels = conv.encoder_channels;
    conv.N_enc = conv.N_dec = static_cast<int>(widths.size());
    conv.encoder_kernels = conv.decoder_kernels = {"3"};
  } else if (config.arch() == model::TransformerConfig::kArch) {
    auto& transformer = config.as<model::TransformerConfig>();
    transformer.N_enc = transformer.N_dec = 1;
  }
}

// The presets and the rows, without those that differ in nothing but their layers, their vocabularies or the length of
// their runs.
std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, model::ModelConfig model, const model::TrainingConfig& training) {
    Recipe recipe{.name = name, .settings = {}};
    recipe.settings.model = std::move(model);
    recipe.settings.model.set_vocabularies(kWords, kWords);
    make_shallow(recipe.settings.model);
    recipe.settings.training = training;
    const model::TrainingConfig usual;
    recipe.settings.training.steps = usual.steps;
    recipe.settings.training.average = usual.average;
    if (seen.insert(to_json(recipe.settings).dump()).second) all.push_back(recipe);
  };
  for (const std::string& name : model::preset_names()) {
    const model::Preset& preset = model::preset(name);
    add(name, preset.model, preset.training);
  }
  const std::vector<std::string> wanted{"all"};
  for (const study::ablate::Row& row : study::ablate::choose_rows({}, wanted).rows) {
    add("row " + row.name, row.settings.model, row.settings.training);
  }
  return all;
}

std::vector<data::SentencePair> pairs_of(std::uint64_t update) { return model::random_pairs(8, 12, kWords, update); }

// A model that is trained.
struct Session {
  Session(const Recipe& recipe, Device device, DType dtype)
      : on(make_backend(device, {.threads = 2})),
        model(recipe.settings.model.make_model()),
        block(*on, dtype, *model, params::Purpose::kTraining),
        trainer(*model, block, recipe.settings.training,
                recipe.settings.training.rates(recipe.settings.model.width())) {}

  // Returns the mean loss of the last update.
  double train(int updates) {
    double loss = 0;
    for (int i = 0; i < updates; ++i) {
      loss = trainer.update(pairs_of(static_cast<std::uint64_t>(trainer.updates()))).loss();
    }
    return loss;
  }
  // Everything that a checkpoint holds.
  std::vector<Array> state() const {
    std::vector<Array> all{block.values()};
    for (const params::NamedTensor& buffer : block.buffer_tensors()) all.push_back(buffer.values);
    for (const optim::Moment& moment : trainer.optimiser().moments()) all.push_back(moment.values);
    if (trainer.average()) all.push_back(trainer.average());
    return all;
  }
  std::vector<std::vector<float>> saved() const {
    std::vector<std::vector<float>> numbers;
    for (const Array& array : state()) {
      EXPECT_EQ(array.dtype(), DType::kFloat32);
      numbers.emplace_back(static_cast<std::size_t>(array.count()));
      on->copy_out(array, numbers.back().data());
    }
    return numbers;
  }
  void restore(const std::vector<std::vector<float>>& numbers, std::int64_t updates) {
    std::vector<Array> arrays = state();
    ASSERT_EQ(arrays.size(), numbers.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      ASSERT_EQ(static_cast<std::size_t>(arrays[i].count()), numbers[i].size());
      on->copy_in(numbers[i].data(), arrays[i]);
    }
    block.refresh();
    trainer.resume(updates);
  }
  double nll() const { return train::evaluate(*on, *model, pairs_of(1000), {}).nll(); }
  std::vector<std::vector<decode::Hypothesis>> translations(decode::Method method) const {
    const std::vector<data::Sentence> sources = model::random_sentences(6, 10, kWords, 7);
    return decode::search(*on, *model, sources, {.method = method, .max_extra = 5});
  }

  std::unique_ptr<Backend> on;
  std::unique_ptr<model::Seq2Seq> model;
  params::ParameterBlock block;
  train::Trainer trainer;
};

// A run that goes on from a saved state has the same bytes as one that never stopped, and the GPU agrees with the CPU:
// in the losses of the trained model and, in float32, in its translations.
void expect_whole_run(const Recipe& recipe, DType dtype) {
  const bool rounded = dtype == DType::kBFloat16;
  Session straight(recipe, kCuda, dtype), resumed(recipe, kCuda, dtype), cpu(recipe, Device{}, DType::kFloat32);
  straight.block.initialise(1);
  straight.block.refresh();
  EXPECT_TRUE(std::isfinite(straight.train(2)));
  const auto half = straight.saved();
  EXPECT_TRUE(std::isfinite(straight.train(2)));
  const auto whole = straight.saved();
  EXPECT_TRUE(half != whole);
  resumed.restore(half, 2);
  resumed.train(2);
  EXPECT_TRUE(resumed.saved() == whole) << "the run that was resumed has other bytes";

  cpu.restore(whole, 4);
  const double expected = cpu.nll();
  EXPECT_NEAR(straight.nll(), expected, (rounded ? 2e-2 : 1e-4) * expected);
  for (const decode::Method method : {decode::Method::kGreedy, decode::Method::kBeam}) {
    const auto found = straight.translations(method), wanted = cpu.translations(method);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_FALSE(found[i].empty());
      EXPECT_TRUE(std::isfinite(found[i][0].score));
      if (rounded) continue;  // words that are nearly as likely as others may change
      EXPECT_EQ(found[i][0].tokens, wanted[i][0].tokens) << "sentence " << i;
      EXPECT_NEAR(found[i][0].score, wanted[i][0].score, 1e-3) << "sentence " << i;
    }
  }
}

class CudaPresets : public TrainingTest {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  }
};

TEST_F(CudaPresets, AllTrainResumeAndTranslateInFloat32) {
  for (const Recipe& recipe : recipes()) {
    SCOPED_TRACE(recipe.name);
    expect_whole_run(recipe, DType::kFloat32);
  }
}

TEST_F(CudaPresets, AllTrainResumeAndTranslateInBfloat16) {
  for (const Recipe& recipe : recipes()) {
    SCOPED_TRACE(recipe.name);
    expect_whole_run(recipe, DType::kBFloat16);
  }
}

// The row with the widest head, through the program: validation translates, the run is stopped and resumed, and the
// model is used.
TEST_F(CudaPresets, OneHeadOf512ChannelsTrainsAndTranslatesInTheProgram) {
  for (const std::string precision : {"fp32", "bf16"}) {
    SCOPED_TRACE(precision);
    const auto train = [&](const std::string& model, int steps) {
      return run("train --model " + file(model + precision) + text_flags() +
                 " --preset A-h1 --layers 1 --d-ff 64 --vocabulary 60 --max-length 40 --batch-tokens 256"
                 " --save-every 10 --valid-every 10 --valid-bleu-sentences 5 --threads 2 --device cuda --precision " +
                 precision + " --steps " + std::to_string(steps));
    };
    const Ending straight = train("straight", 20), first = train("stopped", 10), second = train("stopped", 20);
    for (const Ending& ending : {straight, first, second}) ASSERT_EQ(ending.status, 0) << ending.err;
    EXPECT_EQ(resumed_step(second), 10);
    expect_same_weights(file("straight" + precision), file("stopped" + precision), 20);
    for (const std::string beam : {"1", "4"}) {
      const Ending translated = shell("head -n 5 " + file("valid.en") + " | " + kProgram + " translate --model " +
                                      file("straight" + precision) + " --device cuda --beam " + beam);
      EXPECT_EQ(translated.status, 0) << translated.err;
      EXPECT_EQ(std::ranges::count(translated.out, '\n'), 5) << translated.out;
    }
  }
}

}  // namespace
}  // namespace dragoman
