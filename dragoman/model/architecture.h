// An entry of the registry: one architecture (a kind of model) with its presets.
#pragma once

#include <string>
#include <vector>

#include "dragoman/model/model_config.h"

namespace dragoman::model {

// Settings with a name: a row of the paper's Table 3, or a recipe for some kind of corpus.
struct Preset {
  std::string name;
  std::string summary;
  ModelConfig model;
  TrainingConfig training;
};

// A small model for `dragoman gradcheck`, which compares every gradient with finite differences.
struct GradientModel {
  std::string name;
  ModelConfig model;
  int pairs_per_batch = 4;  // the test has four pairs, so fewer than 4 make several micro-batches
};

struct Architecture {
  std::string name;             // "transformer"
  std::string summary;          // one line for users who choose an architecture
  std::vector<Preset> presets;  // the first one is the default
  std::vector<GradientModel> gradient_models = {};
};

}  // namespace dragoman::model
