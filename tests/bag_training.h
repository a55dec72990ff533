// Training runs of the bag of words (tests/bag_of_words.h), on a task that it can learn.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/random.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/run.h"
#include "tests/bag_of_words.h"
#include "tests/training.h"

namespace dragoman {

inline constexpr int kSteps = 240;

// Prints nothing, and stops a run after a given step.
class QuietWatcher final : public train::Watcher {
 public:
  explicit QuietWatcher(std::int64_t last_step) : last_step_(last_step) {}

  void say(const std::string&) override {}
  void tokenised_pairs(std::int64_t) override {}
  void updated(const train::ProgressRecord& progress, std::int64_t) override { step_ = progress.step; }
  void validated(const train::Validation&) override {}
  bool wants_stop() override { return step_ >= last_step_; }

 private:
  std::int64_t last_step_, step_ = 0;
};

class NewArchitecture : public TrainingTest {
 protected:
  NewArchitecture() {
    write_numbers("train", 400, 1);
    write_numbers("valid", 30, 2);
    replace_file(file("probe.en"), "three one two\n");
  }

  static void SetUpTestSuite() {
    const bool is_known = std::ranges::count(model::architecture_names(), "bag") > 0;  // if tests are repeated
    if (!is_known) model::add_architecture(model::bag_architecture());
  }

  // Source: some of the numbers from one to nine, in any order. Target: the same in German, in rising order. To learn
  // this a model needs neither the order of the source words nor more of the translation than the previous word.
  void write_numbers(const std::string& name, int pairs, std::uint64_t seed) const {
    static const std::vector<std::array<std::string, 2>> kNumbers{
        {"one", "eins"},  {"two", "zwei"},     {"three", "drei"}, {"four", "vier"}, {"five", "fünf"},
        {"six", "sechs"}, {"seven", "sieben"}, {"eight", "acht"}, {"nine", "neun"}};
    RandomStream random(seed);
    std::string source, target;
    for (int pair = 0; pair < pairs; ++pair) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 0; i < kNumbers.size(); ++i) {
        if (random.below(2) == 1 || (i == 8 && chosen.empty())) chosen.push_back(i);
      }
      for (const std::size_t i : chosen) target += kNumbers[i][1] + (i == chosen.back() ? "\n" : " ");
      for (std::size_t left = chosen.size(); left > 0; --left) {
        std::swap(chosen[left - 1], chosen[random.below(static_cast<std::uint32_t>(left))]);
        source += kNumbers[chosen[left - 1]][0] + (left == 1 ? "\n" : " ");
      }
    }
    replace_file(file(name + ".en"), source);
    replace_file(file(name + ".de"), target);
  }

  train::RunResult train_to(const std::string& name, std::int64_t last_step = kSteps) const {
    train::RunRequest request{.directory = file(name), .init = {}, .settings = {}, .allow_changes = false};
    train::TrainingSettings& settings = request.settings;
    settings.model = model::BagConfig{.d_model = 16, .V_source = 60, .V_target = 60};
    settings.training.steps = kSteps;
    settings.training.warmup = 30;
    settings.training.batch_tokens = 256;
    settings.training.average = 2;
    settings.training.ema = 0.9;
    settings.cleaning.max_length = 40;
    settings.tokenizer.kind = text::TokenizerKind::kWord;
    settings.text.train_source = {file("train.en")};
    settings.text.train_target = {file("train.de")};
    settings.text.valid_source = file("valid.en");
    settings.text.valid_target = file("valid.de");
    settings.text.resolve_languages();
    settings.run.save_every = settings.run.valid_every = 80;
    settings.run.valid_bleu_sentences = 5;
    settings.machine.report_every = 40;
    settings.machine.threads = 1;
    settings.machine.probe = file("probe.en");
    settings.validate();
    QuietWatcher watcher(last_step);
    return run_training(request, watcher);
  }
  // The directory of a trained model.
  std::string trained() const {
    train_to("model");
    return file("model");
  }
  static decode::TranslatorOptions translation() {
    return {.search = {.beam = 4, .max_extra = 10}, .threads = 1, .traces = true};
  }

  const std::vector<std::string> lines{"nine two five", "three seven one four", "eight six four two one", "six"};
  const std::vector<std::string> translations{"zwei fünf neun", "eins drei vier sieben", "eins zwei vier sechs acht",
                                              "sechs"};
};

}  // namespace dragoman
