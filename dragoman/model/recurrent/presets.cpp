#include "dragoman/model/recurrent/architecture.h"
#include "dragoman/model/recurrent/config.h"

namespace dragoman::model::recurrent {
namespace {

// A preset, as changes to the default model and its training.
struct Row {
  std::string_view name;
  std::string_view summary;
  void (*change)(RecurrentConfig& model, TrainingConfig& training);
};

// Both sides in one direction, so that the encoder's last states are the decoder's first ones.
void one_direction(RecurrentConfig& model) {
  model.bidirectional = false;
  model.N_enc = model.N_dec = 2;
  model.bridge = BridgeName::kCopy;
}

void fixed(RecurrentConfig& model, TrainingConfig&) {
  one_direction(model);
  model.context = ContextName::kFixed;
  model.readout = ReadoutName::kState;
}

void notes(RecurrentConfig& model, TrainingConfig&) {
  one_direction(model);
  model.score = ScoreName::kScaled;
}

void luong(RecurrentConfig& model, TrainingConfig&) {
  model.cell = CellName::kLstm;
  model.N_enc = model.N_dec = 2;
  model.H_enc = 128;
  model.context = ContextName::kCurrent;
  model.score = ScoreName::kGeneral;
  model.input_feeding = true;
}

void multi30k_gru(RecurrentConfig& model, TrainingConfig& training) {
  model.E = 128;
  model.context = ContextName::kConditional;
  model.bridge = BridgeName::kMean;
  model.readout = ReadoutName::kDeep;
  model.P_embedding = 0.3f;
  model.P_context = model.P_output = 0.5f;
  training.beta2 = 0.999;
  training.eps = 1e-8;
  training.peak_rate = 4e-4;
  training.weight_decay = 1e-5;
  training.clip = 5;
}

void symbols(RecurrentConfig& model, TrainingConfig& training) {
  model.E = model.H_enc = 64;
  model.H_dec = 128;
  model.V_source = model.V_target = 54;
  training.peak_rate = 2e-3;
  training.steps = 1500;
}

constexpr Row kRows[] = {
    {"rnn-additive", "Bahdanau's: GRU, both directions, additive attention with the state before", [](auto&, auto&) {}},
    {"rnn-fixed", "without attention: GRU, layers 2, one direction, the last state for the whole source", fixed},
    {"rnn-notes", "the same with attention: scaled products with the encoder's states", notes},
    {"rnn-align", "attention with projected queries, keys and values, unscaled",
     [](auto& model, auto&) { model.score = ScoreName::kAlign; }},
    {"rnn-luong", "Luong's: LSTM, layers 2, attention general with the state after, input feeding", luong},
    {"multi30k-gru", "for corpora of some 30,000 pairs: GRU 256, embedding 128, conditional, additive", multi30k_gru},
    {"rnn-symbols", "learns in minutes to reverse strings: GRU 128, embedding 64, additive", symbols},
};

}  // namespace

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  for (const Row& row : kRows) {
    RecurrentConfig model;
    TrainingConfig training;
    training.schedule = optim::RateShape::kInverseSquareRoot;
    training.peak_rate = 1e-3;
    training.warmup = 400;
    training.cooldown = 0.5;
    training.clip = 1;
    training.batch_tokens = 4096;
    training.steps = 8000;
    row.change(model, training);
    presets.push_back({std::string(row.name), std::string(row.summary), model, training});
  }
  return presets;
}

}  // namespace dragoman::model::recurrent
