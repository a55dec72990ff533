#include "dragoman/train/checkpoint.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/weights.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char *kWeights = "model.safetensors", *kMoments = "optimiser.safetensors", *kState = "state.json",
                     *kChecksums = "checksums.json";

fs::path root_of(const fs::path& model_directory) { return model_directory / "checkpoints"; }

std::string hash_of_file(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  require<Error>(file != nullptr, "cannot read '", path.string(), "' ", system_reason(), ".");
  Hash hash;
  std::vector<char> buffer(1 << 20);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) hash.add(buffer.data(), got);
  require<Error>(std::ferror(file.get()) == 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  return hash.hex();
}

}  // namespace

std::vector<Checkpoint> list_checkpoints(const fs::path& model_directory) {
  std::vector<Checkpoint> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_of(model_directory), none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || is_aside(name)) continue;
    const std::optional<std::int64_t> step = parse_number<std::int64_t>(name.substr(kPrefix.size()));
    if (step && *step >= 0) found.push_back({entry.path(), *step});
  }
  std::ranges::sort(found, {}, &Checkpoint::step);
  return found;
}

Checkpoint write_checkpoint(const fs::path& model_directory, std::int64_t step, Backend& on,
                            const TrainingTensors& tensors, const Json& state) {
  const Checkpoint checkpoint{root_of(model_directory) / join(kPrefix, step), step};
  const fs::path unfinished = aside(checkpoint.path);
  try {
    remove_unfinished(checkpoint.path);
    make_directory(unfinished);
    Json checksums;
    checksums[kWeights] = model::write_safetensors(unfinished / kWeights, on, tensors.weights);
    checksums[kMoments] = model::write_safetensors(unfinished / kMoments, on, tensors.moments);
    const std::string text = state.dump(2) + "\n";
    replace_file(unfinished / kState, text);
    checksums[kState] = Hash().add(text).hex();
    replace_file(unfinished / kChecksums, checksums.dump(2) + "\n");
    flush_directory(unfinished);
    rename_durably(unfinished, checkpoint.path);
  } catch (const Error&) {
    remove_unfinished(checkpoint.path);
    throw;
  }
  return checkpoint;
}

Json read_state(const Checkpoint& checkpoint) {
  const fs::path list = checkpoint.path / kChecksums;
  const std::string where = "'" + list.string() + "'";
  const Json checksums = parse_json(read_file(list, 1 << 16), where);
  for (const char* name : {kState, kWeights, kMoments}) {
    require<Error>(hash_of_file(checkpoint.path / name) == json_entry<std::string>(checksums, name, where), "'",
                   (checkpoint.path / name).string(), "' is damaged: its checksum is wrong.");
  }
  return read_unchecked_state(checkpoint);
}

Json read_unchecked_state(const Checkpoint& checkpoint) {
  const fs::path state = checkpoint.path / kState;
  return parse_json(read_file(state, 1 << 26), "'" + state.string() + "'");
}

void read_tensors(const Checkpoint& checkpoint, Backend& on, const TrainingTensors& tensors) {
  model::read_tensors(model::SafetensorsFile(checkpoint.path / kWeights), on, tensors.weights);
  model::read_tensors(model::SafetensorsFile(checkpoint.path / kMoments), on, tensors.moments);
}

fs::path weights_of(const Checkpoint& checkpoint) { return checkpoint.path / kWeights; }

void remove_checkpoint(const Checkpoint& checkpoint) {
  const fs::path unfinished = aside(checkpoint.path);
  rename_durably(checkpoint.path, unfinished);
  std::error_code none;
  fs::remove_all(unfinished, none);
}

void set_aside_damaged(const Checkpoint& checkpoint) {
  rename_durably(checkpoint.path, checkpoint.path.string() + ".damaged");
}

void remove_remnants(const fs::path& model_directory) {
  std::error_code none;
  std::vector<fs::path> remnants;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_of(model_directory), none)) {
    if (is_aside(entry.path())) remnants.push_back(entry.path());
  }
  for (const fs::path& remnant : remnants) fs::remove_all(remnant, none);
}

}  // namespace dragoman::train
