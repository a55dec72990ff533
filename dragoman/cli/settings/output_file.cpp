#include "dragoman/cli/settings/output_file.h"

#include <unistd.h>

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
  const fs::file_status status = status_of(path, "write");
  require<UsageError>(!fs::is_directory(status), "'", path, "' is a directory; name a file.");
  require_no_input(path, inputs);
  const fs::path given = fs::path(path).parent_path(), folder = given.empty() ? "." : given;
  require<UsageError>(fs::is_directory(status_of(folder, "write")), "cannot write '", path,
                      "': there is no directory '", folder.string(), "'.");
  // A file is replaced by a new one, so its directory must be writable; a device is written to.
  const std::string written = fs::is_other(status) ? path : folder.string();
  require<Error>(::access(written.c_str(), W_OK) == 0, "cannot write '", path, "' ", system_reason(), ".");
}

}  // namespace dragoman::cli
