// The settings of every command that translates.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/backend/choice.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::cli {

class CommandSettings;

enum class TranslationPrecision : std::uint8_t { kStored, kFp32, kInt8, kBf16 };
constexpr std::array<std::string_view, 4> names(TranslationPrecision) { return {"stored", "fp32", "int8", "bf16"}; }

struct TranslationSettings {
  std::vector<std::string> model;
  DeviceChoice device = DeviceChoice::kCpu;
  TranslationPrecision precision = TranslationPrecision::kStored;
  int threads = 0;
  int workers = 1;
  OptionalSize batch_size = 0;
  OptionalSize batch_tokens = 0;
  int longest = 1024;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model),
          "directory of the model, or of a checkpoint in it; may be repeated: translate then averages their "
          "probabilities, and serve serves each by its name, the first of a pair of languages by default");
    field("device", device, "device to compute on: cpu, or cuda for an NVIDIA GPU");
    field("precision", precision, "fp32, bf16, int8 (CPU), or stored: as in the file on the CPU, bf16 on CUDA");
    field("threads", threads, "threads to use; 0 for all");
    field("workers", workers, "batches to translate at the same time; they share the threads");
    field("batch-size", batch_size, "maximum number of sentences in a batch; by default 64, on CUDA 512");
    field("batch-tokens", batch_tokens, "maximum number of source tokens in a batch; by default 4,096, on CUDA 32,768");
    field("longest", longest, "maximum number of tokens in a line; a longer line is translated in pieces");
  }
  // Throws a UsageError that names the setting.
  void validate() const;
};

// The settings of the search with a model: its own defaults, which it has if another program made it, and over them
// what the command line and the configuration file say. For several models, those of the first.
decode::SearchSettings search_settings(const CommandSettings& given, const std::filesystem::path& model);
decode::SearchSettings search_settings(const CommandSettings& given, const TranslationSettings& translation);
// options_of() throws a UsageError for invalid settings.
decode::TranslatorOptions options_of(const TranslationSettings& settings, const decode::SearchSettings& search);
// Throws a UsageError if the command line has a flag of another search than the chosen one, such as --temperature.
void require_search_effects(const CommandSettings& given, const decode::SearchSettings& search);
std::vector<std::filesystem::path> directories(const TranslationSettings& settings);

}  // namespace dragoman::cli
