// Writes the models of CTranslate2: model.bin in binary version 6.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace dragoman::model::foreign {

// A variable: a number, or a tensor whose values are computed when they are written.
struct FloatTensor {
  std::vector<std::int64_t> shape;
  std::function<std::vector<float>()> values;
};
using CTranslate2Variable = std::variant<std::int8_t, std::int16_t, float, FloatTensor>;

struct CTranslate2Variables {
  std::map<std::string, CTranslate2Variable> variables;
  std::map<std::string, std::string> aliases;  // by the alias, the name of a variable
};

enum class CTranslate2Weights : std::uint8_t {
  kFloat32,
  kInt8,  // matrices are rounded to 8-bit integers, with a scale for each row beside them
};

// Throws an Error if the file cannot be written, or if a tensor has more than 4 GiB, which the format does not allow.
void write_ctranslate2(const std::filesystem::path& path, const CTranslate2Variables& model,
                       CTranslate2Weights weights);

}  // namespace dragoman::model::foreign
