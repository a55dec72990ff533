// Copies of a model in another precision.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace dragoman::model {

// How the weights of a copy are stored: biases and LayerNorms are float32 in each.
enum class Precision : std::uint8_t { kInt8, kBFloat16, kFloat32 };
constexpr std::array<std::string_view, 3> names(Precision) { return {"int8", "bf16", "fp32"}; }

// Makes the directory `to`, which must not exist or be empty, a copy of the model in `from`. It appears whole or not at
// all. Throws an Error that names what is wrong.
void export_model(const std::filesystem::path& from, const std::filesystem::path& to, Precision precision);

}  // namespace dragoman::model
