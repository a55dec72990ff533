// Exports a model: a copy of it with weights in another precision.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace dragoman::model {

// How the weights of the copy are stored. Biases and LayerNorms are always float32.
enum class ExportPrecision : std::uint8_t { kInt8, kBFloat16, kFloat32 };
constexpr std::array<std::string_view, 3> names(ExportPrecision) { return {"int8", "bf16", "fp32"}; }

// Copies the model in the directory `from` to the directory `to`, which must not exist or must be empty. `to` appears
// only when it is complete. Throws an Error that says what is wrong.
void export_model(const std::filesystem::path& from, const std::filesystem::path& to, ExportPrecision precision);

}  // namespace dragoman::model
