#include "dragoman/cli/settings/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModelFiles[] = {"config.json",           "heads.json",      "languages.json",
                                            "metrics.jsonl",         "tokenizer.model", "tokenizer.source.model",
                                            "tokenizer.target.model"};

// Throws a UsageError for a file that a model or a run would miss. Weights are never the output of a command that
// checks its output here.
void require_no_model_file(const std::string& path) {
  const fs::path file = path, folder = file.parent_path();
  if (!fs::is_regular_file(status_of(file))) return;
  const bool is_known =
      std::ranges::count(kModelFiles, file.filename().string()) > 0 &&
      (fs::exists(status_of(folder / "model.safetensors")) || fs::exists(status_of(folder / "checkpoints")));
  require<UsageError>(!is_known && file.extension() != ".safetensors", "'", path,
                      "' is a file of a model; name another file to write.");
}

}  // namespace

void require_no_input(const std::string& path, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code missing;
    require<UsageError>(!fs::equivalent(path, input, missing), "'", path, "' is an input; name another file to write.");
  }
  if (!path.empty() && path != "-") require_no_model_file(path);
}

void require_page_output(const std::string& path, std::string_view example) {
  require<UsageError>(!path.empty(), "--output needs the name of a file, such as --output ", example, ".");
  require<UsageError>(path != "-" || ::isatty(STDOUT_FILENO) != 1,
                      "the page would go to the terminal; name a file, such as --output ", example, ".");
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
