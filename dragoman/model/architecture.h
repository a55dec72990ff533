// What the registry knows of one architecture: one kind of model, with the settings that it is offered with.
#pragma once

#include <string>
#include <vector>

#include "dragoman/model/model_config.h"

namespace dragoman::model {

// Named settings: a row of the paper's Table 3, or a recipe.
struct Preset {
  std::string name;
  std::string summary;
  ModelConfig model;
  TrainingConfig training;
};

// Small settings of which `dragoman gradcheck` compares every gradient with finite differences.
struct GradientModel {
  std::string name;
  ModelConfig model;
  int pairs_a_batch = 4;  // of four pairs: fewer make several micro-batches
};

struct Architecture {
  std::string name;             // "transformer"
  std::string summary;          // for people who choose one
  std::vector<Preset> presets;  // the first one holds where none is named
  std::vector<GradientModel> gradient_models = {};
};

}  // namespace dragoman::model
