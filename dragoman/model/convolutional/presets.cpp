#include "dragoman/model/convolutional/architecture.h"
#include "dragoman/model/convolutional/config.h"

namespace dragoman::model::convolutional {
namespace {

// A preset, as changes to the default model and its training.
struct Row {
  std::string_view name;
  std::string_view summary;
  void (*change)(ConvolutionalConfig& model, TrainingConfig& training);
};

void set_width(ConvolutionalConfig& model, int width) {
  model.E = width;
  model.encoder_channels = model.decoder_channels = {std::to_string(width)};
}

void tiny(ConvolutionalConfig& model, TrainingConfig& training) {
  set_width(model, 128);
  model.max_positions = 256;
  training.steps = 8000;
}

void wmt(ConvolutionalConfig& model, TrainingConfig& training) {
  model.N_enc = model.N_dec = 15;
  model.E = 768;
  model.E_output = 512;
  model.encoder_channels = model.decoder_channels = {"512x9", "1024x4", "2048x2"};
  model.encoder_kernels = model.decoder_kernels = {"3x13", "1x2"};
  model.V_source = model.V_target = 40000;
  // As in the authors' code, except that it divides the rate by 10 when the validation loss stops falling.
  training.optimiser = OptimiserName::kNesterov;
  training.schedule = optim::RateShape::kConstant;
  training.peak_rate = 0.5;
  training.warmup = 1;
  training.steps = 300000;
}

void symbols(ConvolutionalConfig& model, TrainingConfig& training) {
  set_width(model, 64);
  model.N_enc = model.N_dec = 2;
  model.max_positions = 128;
  model.V_source = model.V_target = 54;
  model.P_drop = 0;
  training.steps = 1500;
}

constexpr Row kRows[] = {
    {"conv-tiny", "for corpora of some 30,000 pairs: layers 4 + 3, channels 128, kernel 3", tiny},
    {"conv-iwslt", "for corpora of some 200,000 pairs: layers 4 + 3, channels 256, kernel 3", [](auto&, auto&) {}},
    {"conv-wmt", "that of the paper for WMT: layers 15 + 15, channels 512 to 2048, embedding 768", wmt},
    {"conv-symbols", "learns in minutes to reverse strings: layers 2 + 2, channels 64, kernel 3", symbols},
};

}  // namespace

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  for (const Row& row : kRows) {
    ConvolutionalConfig model;
    TrainingConfig training;
    training.schedule = optim::RateShape::kInverseSquareRoot;
    training.peak_rate = 1e-3;
    training.warmup = 400;
    training.cooldown = 0.5;
    training.clip = 0.1;
    training.batch_tokens = 4096;
    training.steps = 50000;
    row.change(model, training);
    presets.push_back({std::string(row.name), std::string(row.summary), model, training});
  }
  return presets;
}

}  // namespace dragoman::model::convolutional
