#include "dragoman/data/content_hash.h"

#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/base/hash.h"

namespace dragoman::data {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t now() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string hash_contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require<Error>(file.is_open(), "cannot read '", path, "' ", system_reason(), ".");
  Hash hash;
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    hash.add(block.data(), static_cast<std::size_t>(file.gcount()));
  require<Error>(!file.bad(), "cannot read '", path, "' ", system_reason(), ".");
  return hash.hex();
}

}  // namespace

ContentHashes::ContentHashes(std::filesystem::path hashes_file) : hashes_file_(std::move(hashes_file)) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(hashes_file_, ignored)) return;
  std::ifstream file(hashes_file_);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    Entry entry;
    std::string path;
    if (words >> entry.hash >> entry.state.size >> entry.state.changed && std::getline(words >> std::ws, path))
      remembered_[path] = entry;
  }
}

// Uses the change time, not the modification time: the latter can be set back, as by a copy that preserves times.
ContentHashes::State ContentHashes::state_of(const std::string& path) {
  struct stat status {};
  require<Error>(::stat(path.c_str(), &status) == 0, "cannot read '", path, "' ", system_reason(), ".");
  require<UsageError>(S_ISREG(status.st_mode), "'", path,
                      "' is not a plain file; training text is read more than once, so write it to a file first.");
  return {status.st_size, status.st_ctim.tv_sec * kNanosecondsPerSecond + status.st_ctim.tv_nsec};
}

std::string ContentHashes::of(const std::string& path) {
  const std::string name = std::filesystem::absolute(path).string();
  const State state = state_of(path);
  if (const auto found = remembered_.find(name); found != remembered_.end() && found->second.state == state) {
    asked_[name] = found->second;
    return found->second.hash;
  }
  const std::int64_t started = now();
  std::string hash = hash_contents(path);
  // The clock for file times is coarse: a file that changed a moment ago may change again without a new time.
  const bool settled = state.changed < started - 2 * kNanosecondsPerSecond && state_of(path) == state;
  if (settled && name.find('\n') == std::string::npos) asked_[name] = {state, hash};
  return hash;
}

void ContentHashes::save() const {
  if (asked_ == remembered_) return;
  std::string text;
  for (const auto& [path, entry] : asked_)
    text += join(entry.hash, " ", entry.state.size, " ", entry.state.changed, " ", path, "\n");
  replace_file(hashes_file_, text);
}

}  // namespace dragoman::data
