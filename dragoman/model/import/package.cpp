#include "dragoman/model/import/package.h"

#include <algorithm>

#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"

namespace dragoman::model {

namespace fs = std::filesystem;

std::string Package::where(const std::string& file) const {
  return join("'", (file.empty() ? path_ : path_ / file).string(), "'");
}

bool Package::has(const std::string& file) const { return fs::is_regular_file(status_of(path_ / file)); }

std::optional<std::string> Package::first_of(const std::vector<std::string>& files) const {
  const auto found = std::ranges::find_if(files, [&](const std::string& file) { return has(file); });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

foreign::Bytes Package::open(const std::string& file) const {
  require<Error>(has(file), where(), " has no file ", in_quotes(file), ".");
  return foreign::file_bytes(path_ / file);
}

std::string Package::text(const std::string& file) const {
  constexpr std::uint64_t kLargest = 64 << 20;
  const foreign::Bytes bytes = open(file);
  require<Error>(bytes->size() <= kLargest, where(file), " is larger than 64 MiB.");
  return bytes->text(0, bytes->size());
}

}  // namespace dragoman::model
