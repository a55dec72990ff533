#include "dragoman/model/files/search.h"

#include "dragoman/base/files.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/model/files/info.h"

namespace dragoman::model {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSearchFile = 1 << 16;

fs::path search_file(const fs::path& directory) { return described_in(directory) / "search.json"; }

void write_search(const fs::path& directory, const std::string& settings) {
  replace_file(search_file(directory), settings + "\n");
}

std::string read_search(const fs::path& directory) {
  const fs::path file = search_file(directory);
  return fs::exists(status_of(file)) ? read_plain_file(file, kLargestSearchFile) : "{}";
}

void copy_search(const fs::path& from, const fs::path& to) {
  const fs::path file = search_file(from);
  if (fs::exists(status_of(file))) replace_file(search_file(to), read_plain_file(file, kLargestSearchFile));
}

}  // namespace dragoman::model
