#include "dragoman/cli/settings/output_file.h"

#include <filesystem>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::cli {

namespace fs = std::filesystem;

void require_no_input(const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code missing;
    require<UsageError>(!fs::equivalent(path, input, missing), "'", path, "' is an input; name another file to write.");
  }
}

void check_output_file(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty() || path == "-") return;
  require<UsageError>(!fs::is_directory(status_of(path)), "'", path, "' is a directory; name a file.");
  require_no_input(path, inputs);
  const fs::path given = fs::path(path).parent_path(), folder = given.empty() ? "." : given;
  require<UsageError>(fs::is_directory(status_of(folder)), "cannot write '", path, "': there is no directory '",
                      folder.string(), "'.");
}

}  // namespace dragoman::cli
