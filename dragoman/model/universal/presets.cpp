#include <cmath>

#include "dragoman/model/universal/architecture.h"
#include "dragoman/model/universal/config.h"

namespace dragoman::model::universal {
namespace {

// A preset, as changes to the default model and its training.
struct Row {
  std::string_view name;
  std::string_view summary;
  void (*change)(UniversalConfig& model, TrainingConfig& training);
};

// tensor2tensor's base model.
void base(UniversalConfig& model, TrainingConfig&) {
  model.d_model = 1024;
  model.d_ff = 4096;
  model.h = 16;
  model.norm = transformer::Norm::kPre;
  model.signal = SignalName::kLearned;
  model.P_drop = 0.3f;
}

void multi30k(UniversalConfig& model, TrainingConfig& training) {
  model.T = 4;
  model.d_model = 128;
  model.d_ff = 512;
  model.h = 4;
  model.V_source = model.V_target = 10000;
  model.norm = transformer::Norm::kPre;
  model.signal = SignalName::kLearned;
  model.attention_bias = true;
  model.P_drop = 0.3f;
  model.P_drop_attention = model.P_drop_relu = 0.1f;
  training.smoothing = SmoothingForm::kUniform;
  training.warmup = 2000;
  training.rate_constant = 5e-3 * std::sqrt(static_cast<double>(model.d_model) * training.warmup);  // peaks at 5e-3
  training.cooldown = 0.5;
  training.batch_tokens = 4096;
  training.accumulate = 2;
  training.steps = 8000;
}

void symbols(UniversalConfig& model, TrainingConfig& training) {
  model.T = 4;
  model.d_model = 64;
  model.d_ff = 256;
  model.h = 4;
  model.V_source = model.V_target = 54;
  model.norm = transformer::Norm::kPre;
  model.signal = SignalName::kLearned;
  model.attention_bias = true;
  model.P_drop = 0;
  training.warmup = 400;
  training.steps = 700;
}

void pointers(UniversalConfig& model, TrainingConfig& training) {
  symbols(model, training);
  model.T = 8;
  model.norm = transformer::Norm::kPost;
  training.schedule = optim::RateShape::kConstant;
  training.peak_rate = 1e-3;
  training.steps = 12000;
}

constexpr Row kRows[] = {
    {"universal-base", "tensor2tensor's base model: depth-steps 6, d-model 1024, d-ff 4096, heads 16, pre-norm", base},
    {"universal-multi30k", "for corpora of some 30,000 pairs: depth-steps 4, d-model 128, d-ff 512, heads 4", multi30k},
    {"universal-symbols", "learns in a minute to reverse strings: depth-steps 4, d-model 64, d-ff 256, heads 4",
     symbols},
    {"universal-pointers", "learns to follow pointers: depth-steps 8, d-model 64, d-ff 256, heads 4, post-norm",
     pointers},
};

}  // namespace

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  for (const Row& row : kRows) {
    UniversalConfig model;
    TrainingConfig training;
    row.change(model, training);
    presets.push_back({std::string(row.name), std::string(row.summary), model, training});
  }
  return presets;
}

}  // namespace dragoman::model::universal
