#include "dragoman/decode/roles/heads_file.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "dragoman/base/fields.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/plain_file.h"

namespace dragoman::decode {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxHeadsFile = 2 << 20;  // bytes

fs::path heads_file(const fs::path& model_directory) { return model_directory / "heads.json"; }

Json rounded_if_known(const std::optional<double>& value) { return value ? rounded(*value) : Json(nullptr); }

// What tells the weights of a model from others. An exported copy has the same heads.
Json weights_of(const model::ModelInfo& info) {
  Json provenance = try_parse_json(info.provenance);
  if (!provenance.is_object()) return nullptr;
  provenance.erase("exported");
  provenance.erase("program");
  return provenance;
}

// Whether an entry of a file has the types that head_json() writes, where commands rely on them.
bool is_head(const Json& head) {
  if (!head.is_object()) return false;
  const auto all_of = [&](std::initializer_list<const char*> keys, const auto& is_right) {
    return std::ranges::all_of(keys, [&](const char* key) { return !head.contains(key) || is_right(head[key]); });
  };
  return all_of({"attention", "role"}, [](const Json& value) { return value.is_string(); }) &&
         all_of({"layer", "head", "entropy", "distance"}, [](const Json& value) { return value.is_number(); });
}

Json head_json(const HeadReport& report, const nn::AttentionSite& site) {
  const HeadNumbers& numbers = report.numbers;
  Json head{{"attention", site.name},
            {"layer", report.head.layer + 1},
            {"head", report.head.head + 1},
            {"role", to_string(report.role)},
            {"entropy", rounded(numbers.entropy)},
            {"distance", rounded(numbers.distance)},
            {"peak", rounded(numbers.peak)},
            {"own", rounded_if_known(numbers.same)},
            {"previous", rounded_if_known(numbers.previous)},
            {"next", rounded_if_known(numbers.next)},
            {"first", rounded_if_known(numbers.first)},
            {"end", rounded_if_known(numbers.end)},
            {"agreement", rounded_if_known(numbers.agreement)},
            {"forward", rounded_if_known(numbers.forward)},
            {"distinct", rounded_if_known(numbers.distinct)}};
  if (report.alignment_error) head["alignment_error"] = rounded(*report.alignment_error);
  return head;
}

}  // namespace

Json rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json heads_json(const HeadSurvey& survey, const model::ModelInfo& info) {
  Json heads = Json::array();
  for (const HeadReport& report : survey.heads) {
    heads.push_back(head_json(report, survey.sites[static_cast<std::size_t>(report.head.site)]));
  }
  return {{"version", 1},
          {"sentences", survey.sentences},
          {"source_words", survey.source_words},
          {"target_words", survey.target_words},
          {"clear_links", survey.clear_links},
          {"weights", weights_of(info)},
          {"heads", heads}};
}

void write_heads(const fs::path& model_directory, const Json& heads) {
  replace_file(heads_file(model_directory), json_text(heads, 1) + "\n");
}

void require_writable_heads(const fs::path& model_directory) {
  const bool is_missing = !fs::exists(status_of(model_directory));
  require<Error>(is_missing || ::access(model_directory.c_str(), W_OK) == 0, "cannot write '",
                 heads_file(model_directory).string(), "' ", system_reason(), ".");
}

void refuse_heads(const fs::path& model_directory) {
  throw DamagedFile(
      join("'", heads_file(model_directory).string(),
           "' is not a list of attention heads; make it again with 'dragoman heads' and a file of sentences."));
}

bool has_heads(const fs::path& model_directory) { return fs::exists(status_of(heads_file(model_directory))); }

std::optional<Json> read_heads(const fs::path& model_directory, const model::ModelInfo& info) {
  if (!has_heads(model_directory)) return std::nullopt;
  Json heads = try_parse_json(read_plain_file(heads_file(model_directory), kMaxHeadsFile));
  const bool is_list = heads.is_object() && heads.contains("heads") && heads["heads"].is_array() &&
                       std::ranges::all_of(heads["heads"], is_head);
  if (!is_list) refuse_heads(model_directory);
  heads["current"] = heads.value("weights", Json()) == weights_of(info);
  return heads;
}

}  // namespace dragoman::decode
