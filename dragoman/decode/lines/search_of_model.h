// The search that a model is stored with.
#pragma once

#include <filesystem>

#include "dragoman/decode/search/search.h"

namespace dragoman::decode {

// The default settings, changed as the model directory says (model/files/search.h): a model that was imported searches
// as the program that it comes from. Throws an Error that names the file if it is damaged, has an unknown setting or
// one that is out of range.
SearchSettings search_of_model(const std::filesystem::path& directory);

}  // namespace dragoman::decode
