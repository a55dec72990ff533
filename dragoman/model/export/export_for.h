// Exports a model, for this program or for another one.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/files/export.h"

namespace dragoman::model {

// The program whose files are written. For this one the model is copied by export_model() in model/files/export.h.
enum class ExportFormat : std::uint8_t { kDragoman, kCTranslate2, kArgos, kTransformers };
constexpr std::array<std::string_view, 4> names(ExportFormat) {
  return {"dragoman", "ctranslate2", "argos", "transformers"};
}

// Writes the model in the directory `from` to `to`: a directory, which must not exist or must be empty, or for kArgos a
// file, which must not exist. `to` appears only when it is complete. Returns sentences about what the other program
// cannot do with the model. Throws an Error if the other program does not have such a network, and a UsageError if it
// does not have the precision.
std::vector<std::string> export_for(ExportFormat format, const std::filesystem::path& from,
                                    const std::filesystem::path& to, ExportPrecision precision);

}  // namespace dragoman::model
