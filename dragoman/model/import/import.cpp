#include "dragoman/model/import/import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/import/position_tables.h"
#include "dragoman/model/registry/foreign_networks.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

// The network with our vocabularies.
foreign::Network our_network(const ForeignModel& model) {
  foreign::Network network = model.network;
  network.source_vocabulary = static_cast<int>(model.source_words.rows.size());
  network.target_vocabulary = static_cast<int>(model.target_words.rows.size());
  // The bias keeps words from being chosen that we have and they have not.
  const bool all_offered = std::ranges::all_of(model.target_words.rows, &foreign::VocabularyPlan::Row::is_offered);
  network.output_bias = network.output_bias || !all_offered;
  recognise_sinusoids(model.tensors, network, model.weights);
  return network;
}

std::vector<float> values_of(const ForeignModel& model, const foreign::Parameter& parameter,
                             const params::NamedTensor& tensor) {
  using foreign::Rows;
  const bool is_missing = parameter.rows == Rows::kOutputBias && !foreign::has_parameter(model.tensors, parameter);
  std::vector<float> values;
  if (!is_missing) values = foreign::read_parameter(model.tensors, parameter, model.weights);
  const std::int64_t width = tensor.shape.rank() == 2 ? tensor.shape.cols() : 1;
  switch (parameter.rows) {
    case Rows::kOther: return values;
    case Rows::kSourceWords: return model.source_words.permuted(values, width, model.weights);
    case Rows::kTargetWords: return model.target_words.permuted(values, width, model.weights);
    case Rows::kOutputBias: return model.target_words.output_bias(values, model.weights);
  }
  return values;
}

void write_weights(const ForeignModel& model, const ModelConfig& config, const fs::path& directory) {
  std::map<std::string, foreign::Parameter> by_name;
  for (const foreign::Parameter& parameter : foreign_parameters(config, model.origin)) {
    by_name.emplace(parameter.name, parameter);
  }
  const std::unique_ptr<Seq2Seq> ours = config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);
  ours->parameters(visitor);
  std::vector<TensorLabel> labels;
  for (const params::NamedTensor& tensor : visitor.saved()) labels.push_back(label_of(tensor));
  SafetensorsWriter output(weights_file(directory), labels);
  for (const params::NamedTensor& tensor : visitor.saved()) {
    const foreign::Parameter& parameter = by_name.at(tensor.name);
    const std::vector<float> values = values_of(model, parameter, tensor);
    const auto name = [&] { return parameter.places.empty() ? tensor.name : parameter.places.front().tensor; };
    require<Error>(std::ssize(values) == tensor.shape.count(), model.weights, ": the tensor '", name(), "' gives ",
                   counted(std::ssize(values), "number"), ", but the network needs ", tensor.shape.count(), ".");
    require<Error>(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }), model.weights,
                   ": the tensor '", name(), "' holds numbers that are not finite.");
    output.write(values);
  }
  output.finish();
}

// What other programs call a language, as a tag: "zh_CN" becomes "zh-CN". A name that is not a tag says nothing, as
// "ROMANCE" does, but must not be given.
std::string language_tag(std::string language, const std::string& given, const char* flag) {
  std::ranges::replace(language, '_', '-');
  const bool is_tag = text::is_language_tag(language);
  require<UsageError>(is_tag || given.empty(), flag, " is ", in_quotes(given),
                      ", which is not a language tag such as en, de or zh-Hans.");
  return is_tag ? text::canonical_tag(language) : "";
}

}  // namespace

ImportedModel import_model(const fs::path& from, const fs::path& to, const ImportLanguages& languages) {
  const ForeignModel model = read_foreign_model(from, languages);
  const Json provenance{
      {"imported", {{"kind", model.kind}, {"from", fs::absolute(from).lexically_normal().filename().string()}}}};
  const ModelInfo info{.config = config_of(our_network(model)),
                       .source_language = language_tag(model.languages.source, languages.source, "--source-language"),
                       .target_language = language_tag(model.languages.target, languages.target, "--target-language"),
                       .joint_vocabulary = model.source_tokenizer == model.target_tokenizer,
                       .provenance = provenance.dump()};
  const Tokenizers tokenizers{text::Tokenizer::from_bytes(model.source_tokenizer, from.string()),
                              text::Tokenizer::from_bytes(model.target_tokenizer, from.string())};
  make_new_directory(to, [&](const fs::path& unfinished) {
    write_weights(model, info.config, unfinished);
    write_tokenizers(unfinished, tokenizers, info.joint_vocabulary);
    write_search(unfinished, model.search);
    write_info(unfinished, info);
  });
  return {model.kind, info};
}

}  // namespace dragoman::model
