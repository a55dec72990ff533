#include "dragoman/model/files/directory.h"

#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/text/vocabulary_limits.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

fs::path joint_file(const fs::path& directory) { return directory / "tokenizer.model"; }
fs::path source_file(const fs::path& directory) { return directory / "tokenizer.source.model"; }
fs::path target_file(const fs::path& directory) { return directory / "tokenizer.target.model"; }

bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

}  // namespace

fs::path weights_file(const fs::path& directory) { return directory / "model.safetensors"; }

bool has_tokenizers(const fs::path& directory) {
  return is_file(joint_file(directory)) || (is_file(source_file(directory)) && is_file(target_file(directory)));
}

void write_tokenizers(const fs::path& directory, const Tokenizers& tokenizers, bool joint) {
  write_tokenizer_files(directory, tokenizers.source.bytes(), tokenizers.target.bytes(), joint);
}

void write_tokenizer_files(const fs::path& directory, const std::string& source, const std::string& target,
                           bool joint) {
  if (joint) {
    for (const fs::path& file : {source_file(directory), target_file(directory)}) remove_file(file);
    return replace_file(joint_file(directory), source);
  }
  remove_file(joint_file(directory));
  replace_file(source_file(directory), source);
  replace_file(target_file(directory), target);
}

Tokenizers read_tokenizers(const fs::path& given) {
  const fs::path directory = described_in(given);
  require<Error>(has_tokenizers(directory), "there is no tokenizer.model in '", directory.string(),
                 "'; copy all files of the model.");
  const auto load = [&](const fs::path& file) {
    // A run has no weights yet when it begins.
    const fs::path weights = weights_file(given);
    if (!is_file(weights)) return text::Tokenizer::load(file.string());
    return text::Tokenizer::load(file.string(), text::VocabularyLimits::of_weights(fs::file_size(weights)));
  };
  if (is_file(joint_file(directory))) {
    const text::Tokenizer both = load(joint_file(directory));
    return {both, both};
  }
  return {load(source_file(directory)), load(target_file(directory))};
}

void check_vocabularies(const fs::path& directory, const Tokenizers& tokenizers, const ModelConfig& config) {
  const auto check = [&](const char* side, std::int64_t size, int rows) {
    require<Error>(size == rows, "'", directory.string(), "': the ", side, " vocabulary of the tokenizer has ",
                   counted(size, "token"), ", but the model has ", counted(rows, "row"),
                   " for it; put back the tokenizer it was trained with.");
  };
  check("source", tokenizers.source.size(), config.source_vocabulary());
  check("target", tokenizers.target.size(), config.target_vocabulary());
}

namespace {

// The file of the weights, which must exist.
fs::path existing_weights(const fs::path& directory) {
  require<Error>(fs::exists(status_of(weights_file(directory))), "there is no model.safetensors in '",
                 directory.string(), "'; copy all files of the model.");
  return weights_file(directory);
}

// The default form of a model's weights on this device.
WeightForm default_form(const Backend& on, const fs::path& directory) {
  if (on.device().kind == Device::Kind::kCuda) return WeightForm::kBFloat16;
  return stored_form(SafetensorsFile(existing_weights(directory)));
}

Error no_fit(const SafetensorsFile& weights, const fs::path& directory) {
  return Error(join("'", weights.path().string(), "' does not fit '", (directory / "config.json").string(),
                    "'; copy all files of the model."));
}

// The weights and config.json must be of the same model. `dragoman doctor` says which tensor differs.
void require_fit(const SafetensorsFile& weights, const std::vector<params::NamedTensor>& tensors,
                 const fs::path& directory) {
  try {
    check_tensors(weights, tensors);
  } catch (const Error&) {
    throw no_fit(weights, directory);
  }
}

// A network of many layers takes memory even without its weights. Each layer has at least one tensor.
void require_layers(const SafetensorsFile& weights, ModelConfig config, const fs::path& directory) {
  std::size_t layers = 0;
  config.fields([&](std::string_view key, auto&& value, std::string_view) {
    if constexpr (std::is_same_v<decltype(value), int&>) {
      if (key.ends_with("-layers")) layers += static_cast<std::size_t>(value);
    }
  });
  if (layers > weights.count()) throw no_fit(weights, directory);
}

// The model without memory for its weights, after comparing its shapes with those in the file.
std::unique_ptr<Seq2Seq> fitting_model(const ModelInfo& info, const Tokenizers& tokenizers, const fs::path& directory) {
  const SafetensorsFile weights(existing_weights(directory));
  check_vocabularies(directory, tokenizers, info.config);
  require_layers(weights, info.config, directory);
  std::unique_ptr<Seq2Seq> model = info.config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);
  model->parameters(visitor);
  require_fit(weights, visitor.saved(), directory);
  return model;
}

}  // namespace

LoadedModel::LoadedModel(Backend& on, const fs::path& directory, std::optional<WeightForm> form)
    : info(read_info(directory)),
      tokenizers(read_tokenizers(directory)),
      model(fitting_model(info, tokenizers, directory)),
      block(on, form ? *form : default_form(on, directory), *model) {
  const SafetensorsFile weights(existing_weights(directory));
  read_tensors(weights, on, block.saved(), AllowedValues::kFinite);
  on.wait();  // other workers read the weights with their own backends
}

}  // namespace dragoman::model
