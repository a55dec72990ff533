#include "dragoman/train/checkpoint.h"

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/weights.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char *kWeights = "model.safetensors", *kMoments = "optimiser.safetensors", *kState = "state.json",
                     *kChecksums = "checksums.json";

fs::path root_of(const fs::path& model_directory) { return model_directory / "checkpoints"; }

// A checkpoint always has all of its files, so a missing one means damage.
void require_there(const fs::path& path) {
  const fs::file_status status = status_of(path);
  require<DamagedFile>(fs::exists(status), "'", path.string(), "' is missing.");
  require<DamagedFile>(fs::is_regular_file(status), "'", path.string(), "' is not a file.");
}

// Reads a text file of the checkpoint. A file longer than `limit` is damaged, because none is ever written that long.
std::string text_of(const fs::path& path, std::size_t limit) {
  require_there(path);
  std::error_code unknown;
  const bool too_long = fs::file_size(path, unknown) > limit && !unknown;
  require<DamagedFile>(!too_long, "'", path.string(), "' is damaged: it is longer than ", limit, " bytes.");
  return read_file(path, limit);
}

std::string hash_of_file(const fs::path& path) {
  require_there(path);
  Hash hash;
  read_blocks(path, [&](std::string_view block) { hash.add(block); });
  return hash.hex();
}

}  // namespace

std::vector<Checkpoint> list_checkpoints(const fs::path& model_directory) {
  std::vector<Checkpoint> found;
  for (const fs::path& path : list_directory(root_of(model_directory))) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kPrefix) || is_unfinished(name)) continue;
    const std::optional<std::int64_t> step = parse_number<std::int64_t>(name.substr(kPrefix.size()));
    if (step && *step >= 0) found.push_back({path, *step});
  }
  std::ranges::sort(found, {}, &Checkpoint::step);
  return found;
}

Checkpoint write_checkpoint(const fs::path& model_directory, std::int64_t step, Backend& on,
                            const TrainingTensors& tensors, const Json& state) {
  const Checkpoint checkpoint{root_of(model_directory) / join(kPrefix, step), step};
  remove_unfinished(checkpoint.path);
  replace_whole(checkpoint.path, [&](const fs::path& unfinished) {
    make_directory(unfinished);
    Json checksums;
    checksums[kWeights] = model::write_safetensors(unfinished / kWeights, on, tensors.weights);
    checksums[kMoments] = model::write_safetensors(unfinished / kMoments, on, tensors.moments);
    const std::string text = state.dump(2) + "\n";
    replace_file(unfinished / kState, text);
    checksums[kState] = Hash().add(text).hex();
    replace_file(unfinished / kChecksums, checksums.dump(2) + "\n");
    flush_directory(unfinished);
  });
  return checkpoint;
}

Json read_state(const Checkpoint& checkpoint) {
  const fs::path list = checkpoint.path / kChecksums;
  const std::string where = "'" + list.string() + "'";
  const std::string text = text_of(list, 1 << 16);
  const Json checksums = errors_as_damage([&] { return parse_json(text, where); });
  for (const char* name : {kState, kWeights, kMoments}) {
    const auto expected = errors_as_damage([&] { return json_entry<std::string>(checksums, name, where); });
    require<DamagedFile>(hash_of_file(checkpoint.path / name) == expected, "'", (checkpoint.path / name).string(),
                         "' is damaged: its checksum is wrong.");
  }
  return read_unchecked_state(checkpoint);
}

Json read_unchecked_state(const Checkpoint& checkpoint) {
  const fs::path state = checkpoint.path / kState;
  const std::string text = text_of(state, 1 << 26);
  return errors_as_damage([&] { return parse_json(text, "'" + state.string() + "'"); });
}

void read_tensors(const Checkpoint& checkpoint, Backend& on, const TrainingTensors& tensors) {
  using model::AllowedValues;
  model::read_tensors(model::SafetensorsFile(checkpoint.path / kWeights), on, tensors.weights, AllowedValues::kFinite);
  model::read_tensors(model::SafetensorsFile(checkpoint.path / kMoments), on, tensors.moments,
                      [](const params::NamedTensor& tensor) {
                        return tensor.name.starts_with("v.") ? AllowedValues::kNotNegative : AllowedValues::kFinite;
                      });
}

fs::path weights_of(const Checkpoint& checkpoint) { return checkpoint.path / kWeights; }

void remove_checkpoint(const Checkpoint& checkpoint) {
  const fs::path unfinished = unfinished_path(checkpoint.path);
  rename_durably(checkpoint.path, unfinished);
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);
}

void set_aside_damaged(const Checkpoint& checkpoint) {
  rename_durably(checkpoint.path, checkpoint.path.string() + ".damaged");
}

void remove_remnants(const fs::path& model_directory) {
  std::error_code ignored;
  for (const fs::path& path : list_directory(root_of(model_directory))) {
    if (is_unfinished(path)) fs::remove_all(path, ignored);
  }
  // Elsewhere only files are removed: an unfinished directory there is a model that another process is exporting.
  for (const fs::path& folder : {model_directory, model_directory / "corpus", model_directory / "probe"}) {
    for (const fs::path& path : list_directory(folder)) {
      if (is_unfinished(path) && fs::is_regular_file(path, ignored)) fs::remove(path, ignored);
    }
  }
}

}  // namespace dragoman::train
