#include "dragoman/model/import/transformers.h"

#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/model/foreign/torch_file.h"

namespace dragoman::model {
namespace {

foreign::Element element_of(StoredType type) {
  switch (type) {
    case StoredType::kF32: return foreign::Element::kF32;
    case StoredType::kF16: return foreign::Element::kF16;
    case StoredType::kBF16: return foreign::Element::kBF16;
    case StoredType::kI8: return foreign::Element::kI8;
  }
  return foreign::Element::kF32;
}

// The data fill the end of the file, one tensor after the other; SafetensorsFile checks this.
foreign::Tensors safetensors_of(const std::filesystem::path& path) {
  const foreign::Bytes bytes = foreign::file_bytes(path);
  const std::vector<TensorLabel> labels = SafetensorsFile(path).labels();
  std::uint64_t next = bytes->size();
  foreign::Tensors tensors;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const foreign::Element element = element_of(label->type);
    next -= static_cast<std::uint64_t>(label->count()) * foreign::element_bytes(element);
    tensors.emplace(label->name, foreign::dense_tensor(element, label->shape, bytes, next, bytes->name()));
  }
  return tensors;
}

}  // namespace

void open_transformers_weights(const Package& package, ForeignModel& model) {
  const auto file = package.first_of({"model.safetensors", "pytorch_model.bin"});
  require<Error>(file.has_value(), package.where(), " has neither 'model.safetensors' nor 'pytorch_model.bin'.");
  model.weights = package.where(*file);
  model.weight_bytes = package.stored_bytes(*file);
  if (*file == "model.safetensors") {
    model.tensors = safetensors_of(package.path() / *file);
  } else {
    const foreign::TorchFile torch(package.open(*file));
    model.tensors = torch.tensors(torch.object().root());
  }
}

std::string transformers_search(const Package& package) {
  const std::string file = package.first_of({"generation_config.json"}).value_or("config.json");
  const std::string where = package.where(file);
  const Json config = parse_json(package.text(file), where);
  constexpr int kMaxBeam = 1000, kMaxPenalty = 10;  // of --beam and --alpha
  ForeignSearch search{.rules = "transformers"};
  const auto has = [&](const char* key) { return config.contains(key) && !config[key].is_null(); };
  if (has("num_beams")) search.beam = json_entry<int>(config, "num_beams", where);
  if (has("length_penalty")) search.length_penalty = json_entry<double>(config, "length_penalty", where);
  if (has("early_stopping")) {
    const bool is_never = config["early_stopping"] == "never";
    search.stop = is_never ? "never" : json_entry<bool>(config, "early_stopping", where) ? "beam" : search.stop;
  }
  require<Error>(search.beam >= 1 && search.beam <= kMaxBeam, where, ": 'num_beams' is ", search.beam,
                 ", but must be from 1 to ", kMaxBeam, ".");
  require<Error>(search.length_penalty >= 0 && search.length_penalty <= kMaxPenalty, where, ": 'length_penalty' is ",
                 search.length_penalty, ", but must be from 0 to ", kMaxPenalty, ".");
  return search_text(search);
}

}  // namespace dragoman::model
