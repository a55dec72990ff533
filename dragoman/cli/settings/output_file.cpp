#include "dragoman/cli/settings/output_file.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::cli {

namespace fs = std::filesystem;

namespace {

// The files of a model besides its weights, as patterns for names below its directory.
constexpr const char* kModelFiles[] = {
    "config.json",     "heads.json", "languages.json",         "search.json",
    "tokenizer.model", "words.txt",  "tokenizer.source.model", "tokenizer.target.model"};
// What the directory of a training run has besides these.
constexpr const char* kRunFiles[] = {"metrics.jsonl",
                                     "metrics.csv",
                                     "report.html",
                                     "checkpoints/step-*/state.json",
                                     "checkpoints/step-*/checksums.json",
                                     "corpus/contents",
                                     "corpus/tokens.cache",
                                     "probe/step-*.jsonl",
                                     "tensorboard/events.*"};
constexpr int kLongestPattern = 3;  // parts of a name

bool matches(std::span<const char* const> patterns, const fs::path& name) {
  return std::ranges::any_of(patterns,
                             [&](const char* pattern) { return ::fnmatch(pattern, name.c_str(), FNM_PATHNAME) == 0; });
}

// Whether a model or a run would miss the file. Each of the directories that hold it may be that of the model. Weights
// are never the output of a command that checks its output here.
bool is_model_file(const fs::path& file, std::string_view allowed) {
  if (file.extension() == ".safetensors") return true;
  fs::path directory = file.parent_path(), name = file.filename();
  for (int parts = 1; parts <= kLongestPattern; ++parts) {
    const auto has = [&](const char* other) {
      std::error_code hidden;
      return fs::exists(directory / other, hidden);
    };
    const bool is_run = has("checkpoints") || has("metrics.jsonl");
    if (is_run && matches(kRunFiles, name) && name != allowed) return true;
    if ((is_run || has("model.safetensors")) && matches(kModelFiles, name)) return true;
    name = directory.filename() / name;
    directory = directory.parent_path();
  }
  return false;
}

// A link is judged by its own name and by that of the file that it names.
void require_no_model_file(const std::string& path, std::string_view allowed) {
  if (!fs::is_regular_file(status_of(path))) return;
  std::error_code unknown;
  for (const fs::path& file : {fs::absolute(path, unknown), fs::canonical(path, unknown)}) {
    require<UsageError>(!is_model_file(file, allowed), "'", path,
                        "' is a file of a model; name another file to write.");
  }
}

}  // namespace

void require_no_input(const std::string& path, const std::vector<std::string>& inputs, std::string_view allowed) {
  for (const std::string& input : inputs) {
    std::error_code missing;
    require<UsageError>(!fs::equivalent(path, input, missing), "'", path, "' is an input; name another file to write.");
  }
  if (!path.empty() && path != "-") require_no_model_file(path, allowed);
}

void require_page_output(const std::string& path, std::string_view example) {
  require<UsageError>(!path.empty(), "--output needs the name of a file, such as --output ", example, ".");
  require<UsageError>(path != "-" || ::isatty(STDOUT_FILENO) != 1,
                      "the page would go to the terminal; name a file, such as --output ", example, ".");
}

void check_output_file(const std::string& path, const std::vector<std::string>& inputs, std::string_view allowed) {
  if (path.empty() || path == "-") return;
  const fs::file_status status = status_of(path, "write");
  require<UsageError>(!fs::is_directory(status), "'", path, "' is a directory; name a file.");
  require_no_input(path, inputs, allowed);
  const fs::path given = fs::path(path).parent_path(), folder = given.empty() ? "." : given;
  require<UsageError>(fs::is_directory(status_of(folder, "write")), "cannot write '", path,
                      "': there is no directory '", folder.string(), "'.");
  // A file is replaced by a new one, so its directory must be writable; a device is written to.
  const std::string written = fs::is_other(status) ? path : folder.string();
  require<Error>(::access(written.c_str(), W_OK) == 0, "cannot write '", path, "' ", system_reason(), ".");
}

}  // namespace dragoman::cli
