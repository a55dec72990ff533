// What directories of Transformers have in common, whatever the model.
#pragma once

#include <string>

#include "dragoman/model/import/foreign_model.h"

namespace dragoman::model {

// Opens model.safetensors or pytorch_model.bin. Throws an Error if there is neither, or if the file is damaged.
void open_transformers_weights(const Package& package, ForeignModel& model);
// The settings of generate(): from generation_config.json or, in older models, config.json. As write_search() expects
// them.
std::string transformers_search(const Package& package);

}  // namespace dragoman::model
