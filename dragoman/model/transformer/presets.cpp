#include <cmath>

#include "dragoman/model/transformer/architecture.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::model::transformer {
namespace {

// A preset, as changes to the base model and its training.
struct Row {
  std::string_view name;
  std::string_view summary;
  void (*change)(TransformerConfig& model, TrainingConfig& training);
};

// The constant c with which the learning rate peaks at `peak`. Other recipes state the peak; our schedule multiplies
// the rate of Equation (3) by c, which is 1 in the paper.
double constant_for_peak(double peak, const TransformerConfig& model, const TrainingConfig& training) {
  return peak * std::sqrt(static_cast<double>(model.d_model) * training.warmup);
}

void big(TransformerConfig& model, TrainingConfig& training) {
  model.d_model = 1024;
  model.d_ff = 4096;
  model.h = 16;
  model.P_drop = 0.3f;
  training.steps = 300000;
  training.average = 20;
}

// The layout of the 2017 code (tensor2tensor). With it the numbers of parameters are those in Table 3, except for big.
void t2t_2017(TransformerConfig& model, TrainingConfig&) {
  model.V_source = model.V_target = 40960;
  model.attention_bias = true;
  model.target_space_table = true;
}

void iwslt(TransformerConfig& model, TrainingConfig& training) {
  model.d_ff = 1024;
  model.h = 4;
  model.V_source = model.V_target = 10000;
  model.norm = Norm::kPre;
  model.attention_bias = true;
  model.P_drop = 0.3f;
  training.rate_constant = constant_for_peak(5e-4, model, training);
  training.weight_decay = 1e-4;
  training.batch_tokens = 4096;
}

void multi30k_tiny(TransformerConfig& model, TrainingConfig& training) {
  model.N_enc = model.N_dec = 4;
  model.d_model = 128;
  model.d_ff = 256;
  model.h = 4;
  model.V_source = model.V_target = 10000;
  model.attention_bias = true;
  model.P_drop = 0.3f;
  model.P_drop_attention = model.P_drop_relu = 0.1f;
  model.init = Init::kFairseq;
  training.smoothing = SmoothingForm::kUniform;
  training.warmup = 2000;
  training.rate_constant = constant_for_peak(5e-3, model, training);
  training.cooldown = 0.5;
  training.batch_tokens = 4096;
  training.accumulate = 2;
  training.steps = 8000;
}

void demo(TransformerConfig& model, TrainingConfig& training) {
  model.N_enc = model.N_dec = 3;
  model.d_model = 128;
  model.d_ff = 512;
  model.h = 4;
  model.V_source = model.V_target = 1500;
  model.norm = Norm::kPre;
  model.attention_bias = true;
  model.P_drop = 0;
  training.warmup = 200;
  training.cooldown = 0.5;
  training.batch_tokens = 2048;
  training.steps = 850;
  training.average = 0;
}

void symbols(TransformerConfig& model, TrainingConfig& training) {
  model.N_enc = model.N_dec = 2;
  model.d_model = 64;
  model.d_ff = 256;
  model.h = 4;
  model.V_source = model.V_target = 54;
  model.norm = Norm::kPre;
  model.attention_bias = true;
  model.P_drop = 0;
  training.warmup = 400;
  training.steps = 700;
}

// The rows of Table 3 from top to bottom: (A) heads, (B) key width, (C) size, (D) regularisation, (E) positions. Then
// recipes for other corpora. d_k and d_v are d_model / h unless a row sets them.
constexpr Row kRows[] = {
    {"base", "the paper's base model", [](auto&, auto&) {}},
    {"big", "the paper's big model: d-model 1024, d-ff 4096, heads 16, dropout 0.3", big},
    {"A-h1", "Table 3 (A): heads 1", [](auto& model, auto&) { model.h = 1; }},
    {"A-h4", "Table 3 (A): heads 4", [](auto& model, auto&) { model.h = 4; }},
    {"A-h16", "Table 3 (A): heads 16", [](auto& model, auto&) { model.h = 16; }},
    {"A-h32", "Table 3 (A): heads 32", [](auto& model, auto&) { model.h = 32; }},
    {"B-dk16", "Table 3 (B): d-k 16", [](auto& model, auto&) { model.d_k = 16; }},
    {"B-dk32", "Table 3 (B): d-k 32", [](auto& model, auto&) { model.d_k = 32; }},
    {"C-N2", "Table 3 (C): layers 2", [](auto& model, auto&) { model.N_enc = model.N_dec = 2; }},
    {"C-N4", "Table 3 (C): layers 4", [](auto& model, auto&) { model.N_enc = model.N_dec = 4; }},
    {"C-N8", "Table 3 (C): layers 8", [](auto& model, auto&) { model.N_enc = model.N_dec = 8; }},
    {"C-d256", "Table 3 (C): d-model 256", [](auto& model, auto&) { model.d_model = 256; }},
    {"C-d1024", "Table 3 (C): d-model 1024", [](auto& model, auto&) { model.d_model = 1024; }},
    {"C-dff1024", "Table 3 (C): d-ff 1024", [](auto& model, auto&) { model.d_ff = 1024; }},
    {"C-dff4096", "Table 3 (C): d-ff 4096", [](auto& model, auto&) { model.d_ff = 4096; }},
    {"D-drop0", "Table 3 (D): dropout 0", [](auto& model, auto&) { model.P_drop = 0; }},
    {"D-drop0.2", "Table 3 (D): dropout 0.2", [](auto& model, auto&) { model.P_drop = 0.2f; }},
    {"D-ls0", "Table 3 (D): label smoothing 0", [](auto&, auto& training) { training.eps_ls = 0; }},
    {"D-ls0.2", "Table 3 (D): label smoothing 0.2", [](auto&, auto& training) { training.eps_ls = 0.2; }},
    {"E-learned", "Table 3 (E): learned positions", [](auto& model, auto&) { model.positions = Positions::kLearned; }},
    {"t2t-2017", "base as the code of 2017 built it: vocabulary 40960, attention biases, target-space table", t2t_2017},
    {"iwslt", "for corpora of some 200,000 pairs: d-ff 1024, heads 4, pre-norm, dropout 0.3", iwslt},
    {"multi30k-tiny", "for corpora of some 30,000 pairs: layers 4, d-model 128, d-ff 256, heads 4", multi30k_tiny},
    {"demo", "trains in minutes on a laptop: layers 3, d-model 128, d-ff 512, heads 4", demo},
    {"symbols", "learns in a minute to reverse strings: layers 2, d-model 64, d-ff 256, heads 4", symbols},
};

}  // namespace

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  for (const Row& row : kRows) {
    TransformerConfig model;
    TrainingConfig training;
    // Section 6.2: for Table 3 the paper does not average checkpoints; for Table 2 it does.
    if (row.summary.starts_with("Table 3")) training.average = 0;
    row.change(model, training);
    presets.push_back({std::string(row.name), std::string(row.summary), model, training});
  }
  return presets;
}

}  // namespace dragoman::model::transformer
