#include "dragoman/study/cost/paper.h"

#include "dragoman/model/registry/registry.h"

namespace dragoman::study::cost {
namespace {

constexpr Gpu kK80{"K80", 2.8e12}, kK40{"K40", 3.7e12}, kM40{"M40", 6.0e12}, kP100{"P100", 9.5e12};

constexpr double kSecondsOfADay = 24 * 60 * 60;

}  // namespace

double MachineTime::flops() const { return models * days * kSecondsOfADay * gpus * gpu.rate; }

std::optional<double> PaperRow::model_flops() const {
  return preset.empty() ? std::nullopt : std::optional(planned_flops(model::preset(preset), kUsualSentence));
}

std::vector<PaperRow> paper_rows() {
  const MachineTime gnmt_german{1, 96, kK80}, gnmt_french{6, 96, kK80};
  const MachineTime conv_german{18.5, 1, kM40}, conv_french{37, 8, kM40};
  const MachineTime base{0.5, 8, kP100}, big{3.5, 8, kP100};
  const auto ensemble = [](MachineTime one) {
    one.models = 8;
    return one;
  };
  return {{.name = "ByteNet", .german = {.bleu = 23.75}},
          {.name = "Deep-Att + PosUnk", .french = {.bleu = 39.2, .flops = 1.0e20}},
          {.name = "GNMT + RL",
           .german = {.bleu = 24.6, .flops = 2.3e19, .machine = gnmt_german},
           .french = {.bleu = 39.92, .flops = 1.4e20, .machine = gnmt_french}},
          {.name = "ConvS2S",
           .german = {.bleu = 25.16, .flops = 9.6e18, .machine = conv_german},
           .french = {.bleu = 40.46, .flops = 1.5e20, .machine = conv_french}},
          {.name = "MoE",
           .german = {.bleu = 26.03, .flops = 2.0e19, .machine = MachineTime{1, 64, kK40}},
           .french = {.bleu = 40.56, .flops = 1.2e20, .machine = MachineTime{6, 64, kK40}}},
          {.name = "Deep-Att + PosUnk ensemble", .french = {.bleu = 40.4, .flops = 8.0e20}},
          {.name = "GNMT + RL ensemble",
           .german = {.bleu = 26.30, .flops = 1.8e20, .machine = ensemble(gnmt_german)},
           .french = {.bleu = 41.16, .flops = 1.1e21, .machine = ensemble(gnmt_french)}},
          {.name = "ConvS2S ensemble",
           .german = {.bleu = 26.36, .flops = 7.7e19, .machine = ensemble(conv_german)},
           .french = {.bleu = 41.29, .flops = 1.2e21, .machine = ensemble(conv_french)}},
          {.name = "Transformer (base model)",
           .german = {.bleu = 27.3, .flops = 3.3e18, .machine = base},
           .french = {.bleu = 38.1, .flops = 3.3e18, .machine = base},
           .preset = "base"},
          {.name = "Transformer (big)",
           .german = {.bleu = 28.4, .flops = 2.3e19, .machine = big},
           .french = {.bleu = 41.8, .flops = 2.3e19, .machine = big},
           .preset = "big"}};
}

double planned_flops(const model::Preset& preset, std::int64_t sentence) {
  const double of_token = preset.model.training_flops(sentence, sentence) / static_cast<double>(sentence);
  return of_token * preset.training.batch_tokens * preset.training.accumulate * preset.training.steps;
}

}  // namespace dragoman::study::cost
