#include "dragoman/model/import/import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
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

// One of our parameters in their file: its tensor in our order of dimensions, if it has one. Only the bias of the
// output may be missing, and is zero then.
struct Found {
  foreign::Parameter parameter;
  std::optional<foreign::Tensor> tensor;
  std::int64_t rows = 0, columns = 0;  // ours

  // For messages.
  const std::string& name() const {
    return parameter.places.empty() ? parameter.name : parameter.places.front().tensor;
  }
};

Found find(const ForeignModel& model, foreign::Parameter parameter, const params::NamedTensor& ours) {
  using foreign::Rows;
  const std::int64_t columns = ours.shape.rank() == 2 ? ours.shape.cols() : 1;
  Found found{
      .parameter = std::move(parameter), .tensor = {}, .rows = ours.shape.count() / columns, .columns = columns};
  const Rows kind = found.parameter.rows;
  if (kind == Rows::kOutputBias && !foreign::has_parameter(model.tensors, found.parameter)) return found;
  found.tensor = foreign::parameter_tensor(model.tensors, found.parameter, model.weights);
  const foreign::Tensor& tensor = *found.tensor;
  if (kind == Rows::kOutputBias) return found;  // short, and checked when it is read
  const bool is_matrix = tensor.shape.size() == 2;
  const bool are_words = kind == Rows::kSourceWords || kind == Rows::kTargetWords;
  const bool fits = are_words                ? is_matrix && tensor.shape[1] == columns
                    : ours.shape.rank() == 2 ? is_matrix && tensor.shape[0] == found.rows && tensor.shape[1] == columns
                                             : tensor.count() == found.rows;
  require<Error>(fits, model.weights, ": the tensor '", found.name(),
                 "' does not have the shape that the network needs, ", are_words ? "rows" : join(found.rows, " rows"),
                 " of ", counted(columns, "number"), ".");
  if (are_words) model.words(kind).require_rows(tensor.shape[0], model.weights);
  return found;
}

// Writes the values of a parameter, some rows at a time.
void write_values(const ForeignModel& model, const Found& found, SafetensorsWriter& output) {
  constexpr std::int64_t kBlock = 1 << 20;  // numbers
  const std::int64_t longest = std::max<std::int64_t>(1, kBlock / found.columns);
  const auto write = [&](const std::vector<float>& values) {
    require<Error>(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }), model.weights,
                   ": the tensor '", found.name(), "' holds numbers that are not finite.");
    output.write(values);
  };
  const auto zeros = [&](std::int64_t rows) {
    return std::vector<float>(static_cast<std::size_t>(rows * found.columns));
  };
  switch (found.parameter.rows) {
    case foreign::Rows::kOther: {
      const foreign::Tensor tensor = found.parameter.is_transposed ? foreign::in_memory(*found.tensor) : *found.tensor;
      if (tensor.shape.size() != 2) return write(foreign::floats_of(tensor));
      for (std::int64_t row = 0; row < found.rows; row += longest) {
        write(foreign::floats_of(foreign::rows_of(tensor, row, std::min(longest, found.rows - row))));
      }
      return;
    }
    case foreign::Rows::kOutputBias:
      return write(model.target_words.output_bias(
          found.tensor ? foreign::floats_of(*found.tensor) : std::vector<float>{}, model.weights));
    case foreign::Rows::kSourceWords:
    case foreign::Rows::kTargetWords:
      model.words(found.parameter.rows).each_run(longest, [&](const foreign::VocabularyPlan::Run& run) {
        write(run.from ? foreign::floats_of(foreign::rows_of(*found.tensor, *run.from, run.count)) : zeros(run.count));
      });
  }
}

// Their tensors may share bytes, so that a small file describes a network of any size.
void require_bytes(const ForeignModel& model, std::int64_t numbers) {
  constexpr std::uint64_t kFew = 1 << 22, kMostForAByte = 16;
  require<Error>(static_cast<std::uint64_t>(numbers) <= kFew + kMostForAByte * model.weight_bytes, model.weights,
                 " has ", model.weight_bytes, " bytes, far fewer than a network of ", numbers, " numbers needs.");
}

// All shapes are compared before anything is written.
void write_weights(const ForeignModel& model, const ModelConfig& config, const fs::path& directory) {
  std::map<std::string, foreign::Parameter> by_name;
  for (foreign::Parameter& parameter : foreign_parameters(config, model.origin)) {
    by_name.emplace(parameter.name, std::move(parameter));
  }
  const std::unique_ptr<Seq2Seq> ours = config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);
  ours->parameters(visitor);
  std::vector<TensorLabel> labels;
  std::vector<Found> all;
  std::int64_t numbers = 0;
  for (const params::NamedTensor& tensor : visitor.saved()) {
    labels.push_back(label_of(tensor));
    all.push_back(find(model, std::move(by_name.at(tensor.name)), tensor));
    numbers += tensor.shape.count();
  }
  require_bytes(model, numbers);
  SafetensorsWriter output(weights_file(directory), labels);
  for (const Found& found : all) write_values(model, found, output);
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
  require_layers(model);
  const Json provenance{
      {"imported",
       {{"kind", model.kind}, {"from", printable(fs::absolute(from).lexically_normal().filename().string())}}}};
  const ModelInfo info{.config = config_of(our_network(model)),
                       .source_language = language_tag(model.languages.source, languages.source, "--source-language"),
                       .target_language = language_tag(model.languages.target, languages.target, "--target-language"),
                       .joint_vocabulary = model.source_tokenizer == model.target_tokenizer,
                       .provenance = provenance.dump()};
  // Each can be read; one at a time, because they may be large.
  text::Tokenizer::from_bytes(model.source_tokenizer, from.string());
  if (!info.joint_vocabulary) text::Tokenizer::from_bytes(model.target_tokenizer, from.string());
  make_new_directory(to, [&](const fs::path& unfinished) {
    write_weights(model, info.config, unfinished);
    write_tokenizer_files(unfinished, model.source_tokenizer, model.target_tokenizer, info.joint_vocabulary);
    write_search(unfinished, model.search);
    write_info(unfinished, info);
  });
  return {model.kind, info};
}

}  // namespace dragoman::model
