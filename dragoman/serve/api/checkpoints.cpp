#include "dragoman/serve/api/checkpoints.h"

#include <algorithm>
#include <iterator>

#include "dragoman/serve/api/models.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/train/checkpoint.h"

namespace dragoman::serve {

std::vector<CheckpointEntry> Checkpoints::list(const std::string& model, const std::filesystem::path& directory) const {
  std::vector<CheckpointEntry> entries;
  if (most_ == 0) return entries;
  for (const train::Checkpoint& found : train::list_checkpoints(directory)) {
    entries.push_back({.name = join(model, "@", found.step), .of = model, .step = found.step, .directory = found.path});
  }
  return entries;
}

std::shared_ptr<ServedModel> Checkpoints::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(loaded_, name, &ServedModel::name);
  if (found == loaded_.end()) return nullptr;
  std::rotate(found, found + 1, loaded_.end());
  return loaded_.back();
}

std::shared_ptr<ServedModel> Checkpoints::get(const CheckpointEntry& entry) {
  if (auto found = find(entry.name)) return found;
  const std::unique_lock loading(loading_, std::try_to_lock);
  require_or(503, loading.owns_lock(), "another checkpoint is being loaded; try again in a moment.");
  if (auto found = find(entry.name)) return found;  // it was loaded meanwhile
  reduce_to(most_ - 1);
  std::shared_ptr<ServedModel> model = load_(entry);
  const std::lock_guard lock(mutex_);
  loaded_.push_back(model);
  return model;
}

void Checkpoints::reduce_to(std::size_t kept) {
  Loaded leaving;
  {
    const std::lock_guard lock(mutex_);
    const auto excess = std::max<std::ptrdiff_t>(0, std::ssize(loaded_) - static_cast<std::ptrdiff_t>(kept));
    std::move(loaded_.begin(), loaded_.begin() + excess, std::back_inserter(leaving));
    loaded_.erase(loaded_.begin(), loaded_.begin() + excess);
  }
  if (!leaving.empty()) retire_(std::move(leaving));
}

Checkpoints::Loaded Checkpoints::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

}  // namespace dragoman::serve
