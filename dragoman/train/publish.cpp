#include "dragoman/train/publish.h"

#include <algorithm>
#include <map>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/train/average.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMinKept = 2;  // scheduled checkpoints that are kept in any case: one may be damaged
constexpr std::string_view kBest = "best-step-", kEnding = ".safetensors";

bool is_scheduled(const Checkpoint& checkpoint) {
  const std::string where = "'" + checkpoint.path.string() + "'";
  return run_state_from_json(read_unchecked_state(checkpoint), where).scheduled;
}

// The weights files of the latest `count` scheduled checkpoints.
std::vector<fs::path> latest_weights(const fs::path& directory, std::int64_t count) {
  std::vector<fs::path> files;
  for (const Checkpoint& checkpoint : scheduled_checkpoints(directory)) files.push_back(weights_of(checkpoint));
  const auto surplus = std::max<std::int64_t>(0, static_cast<std::int64_t>(files.size()) - count);
  files.erase(files.begin(), files.begin() + surplus);
  return files;
}

// The file of the best weights until a checkpoint has recorded them.
fs::path unsettled_best(const fs::path& directory, std::int64_t step) {
  return directory / "checkpoints" / join(kBest, step, kEnding);
}

std::map<std::int64_t, fs::path> unsettled_bests(const fs::path& directory) {
  std::map<std::int64_t, fs::path> found;
  for (const fs::path& path : list_directory(directory / "checkpoints")) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kBest) || !name.ends_with(kEnding)) continue;
    const std::string digits = name.substr(kBest.size(), name.size() - kBest.size() - kEnding.size());
    if (const auto step = parse_number<std::int64_t>(digits)) found.emplace(*step, path);
  }
  return found;
}

void copy_weights(const fs::path& from, const fs::path& to) {
  const fs::path only[] = {from};
  average_weights(only, to);
}

}  // namespace

std::vector<Checkpoint> scheduled_checkpoints(const fs::path& directory) {
  std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  std::erase_if(checkpoints, [](const Checkpoint& checkpoint) { return !is_scheduled(checkpoint); });
  return checkpoints;
}

fs::path best_weights(const fs::path& directory) { return directory / "checkpoints" / "best.safetensors"; }

void write_weights(const fs::path& file, Backend& on, std::span<const params::NamedTensor> tensors) {
  replace_whole(file, [&](const fs::path& unfinished) { model::write_safetensors(unfinished, on, tensors); });
}

void write_best(const fs::path& directory, std::int64_t step, Backend& on,
                std::span<const params::NamedTensor> tensors) {
  write_weights(unsettled_best(directory, step), on, tensors);
  for (const auto& [other_step, other] : unsettled_bests(directory)) {
    if (other_step != step) remove_file(other);
  }
}

void settle_best(const fs::path& directory, const std::optional<Best>& best) {
  for (const auto& [step, file] : unsettled_bests(directory)) {
    if (best && best->step == step) {
      rename_durably(file, best_weights(directory));
    } else {
      remove_file(file);
    }
  }
}

std::string publish_weights(const fs::path& directory, const RunState& state, Backend& on,
                            std::span<const params::NamedTensor> weights,
                            std::span<const params::NamedTensor> average) {
  const fs::path file = model::weights_file(directory);
  if (state.settings.training.average > 0) {
    const std::vector<fs::path> latest = latest_weights(directory, state.settings.training.average);
    if (!latest.empty()) {
      average_weights(latest, file);
      return latest.size() == 1 ? "the latest weights" : join("the mean of the last ", latest.size(), " checkpoints");
    }
  }
  if (!average.empty()) {
    write_weights(file, on, average);
    return "a moving average of the weights";
  }
  if (state.best && fs::exists(status_of(best_weights(directory)))) {
    copy_weights(best_weights(directory), file);
    return join("the best validated weights, of step ", state.best->step);
  }
  write_weights(file, on, weights);
  return "the latest weights";
}

void prune_checkpoints(const fs::path& directory, std::int64_t keep) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  std::int64_t kept = 0;
  for (auto at = checkpoints.rbegin(); at != checkpoints.rend(); ++at) {
    const bool latest = at == checkpoints.rbegin();
    if (kept < std::max(keep, kMinKept) && is_scheduled(*at)) {
      ++kept;
    } else if (!latest) {
      remove_checkpoint(*at);
    }
  }
}

}  // namespace dragoman::train
