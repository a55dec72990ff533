#include "dragoman/study/ablate/files.h"

#include <sstream>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"

namespace dragoman::study::ablate {

std::optional<RunResult> read_result(const RunFiles& files) {
  if (!std::filesystem::exists(status_of(files.result()))) return std::nullopt;
  const std::string where = "'" + files.result().string() + "'";
  RunResult result;
  settings_from_json(parse_json(read_file(files.result()), where), result, where);
  return result;
}

void finish_run(const RunFiles& files, const RunResult& result) {
  replace_file(files.result(), settings_to_json(result).dump(2) + "\n");
  remove_leftovers(files);
}

void remove_leftovers(const RunFiles& files) {
  std::filesystem::remove_all(files.model());
  for (const std::filesystem::path& file : {files.settings(), files.evaluation(), files.messages()}) remove_file(file);
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::istringstream text(read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

void write_config_file(const std::filesystem::path& file, const train::TrainingSettings& settings) {
  std::string text;
  const Json object = to_json(settings);
  for (const auto& [key, value] : object.items()) {
    const std::string written = setting_text(value, key);
    // A JSON string is also one of YAML. A list that is not given has no text.
    if (!written.empty()) text += key + ": " + Json(written).dump() + "\n";
  }
  replace_file(file, text);
}

}  // namespace dragoman::study::ablate
