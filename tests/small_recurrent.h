// Small recurrent networks with random weights, one of each kind, beside the Transformer of small_model.h.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dragoman/model/recurrent/testing.h"
#include "tests/random_model.h"
#include "tests/small_model.h"

namespace dragoman {

// `model` is a Transformer with the same words.
class RecurrentModelTest : public SmallModelTest {
 protected:
  RecurrentModelTest() {
    write_rnn("additive", [](model::RecurrentConfig&) {});
    write_rnn("fixed", [](model::RecurrentConfig& config) {
      config.context = model::recurrent::ContextName::kFixed;
      config.N_enc = config.N_dec = 2;
    });
    write_rnn("luong", [](model::RecurrentConfig& config) {
      config.cell = model::recurrent::CellName::kLstm;
      config.N_dec = 2;
      config.context = model::recurrent::ContextName::kCurrent;
      config.score = model::recurrent::ScoreName::kGeneral;
      config.input_feeding = true;
    });
    write_rnn("hard", [](model::RecurrentConfig& config) {
      config.context = model::recurrent::ContextName::kConditional;
      config.mode = model::recurrent::ModeName::kHard;
    });
  }

  void write_rnn(const std::string& name, const std::function<void(model::RecurrentConfig&)>& change) const {
    model::RecurrentConfig config = model::recurrent::small_recurrent();
    change(config);
    write_random_model<model::recurrent::SmallRecurrent>(file(name), config, 6);
  }

  static inline const std::vector<std::string> kNames{"additive", "fixed", "luong", "hard"};
};

}  // namespace dragoman
