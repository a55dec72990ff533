#include "dragoman/train/report/metrics.h"

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/plain_file.h"

namespace dragoman::train {
namespace {

constexpr std::string_view kProgress = "progress", kValidation = "validation";

// JSON has no infinity and no NaN: such a loss is written as null and read back as NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

constexpr std::string_view kWhere = "a record";  // never shown: each_record() reports the line instead

// json_entry() rejects fractions and numbers beyond 64 bits. Json itself would round them, or convert them with
// undefined behaviour.
std::int64_t count_in(const Json& record, const char* key) { return json_entry<std::int64_t>(record, key, kWhere); }

double number_in(const Json& record, const char* key) {
  const Json& value = record.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::optional<double> optional_in(const Json& record, const char* key) {
  if (!record.contains(key)) return std::nullopt;
  return number_in(record, key);
}

void add_figures(Json& json, const Figures& figures) {
  for (const auto& [name, value] : figures) json[name] = number(value);
}

// The figures of a record: all entries except those with a fixed name.
Figures figures_in(const Json& record) {
  static const std::set<std::string_view> kOthers = {"kind",
                                                     "step",
                                                     "epoch",
                                                     "rate",
                                                     "gradient_norm",
                                                     "tokens_per_second",
                                                     "rank_tokens_per_second",
                                                     "seconds",
                                                     "target_tokens",
                                                     "flops",
                                                     "nominal_flops",
                                                     "best",
                                                     "samples",
                                                     "time"};
  Figures figures;
  for (const auto& [name, value] : record.items()) {
    if (!kOthers.contains(name)) figures.set(name, number_in(record, name.c_str()));
  }
  return figures;
}

ProgressRecord progress_from(const Json& json) {
  return {.step = count_in(json, "step"),
          .epoch = count_in(json, "epoch"),
          .losses = figures_in(json),
          .rate = number_in(json, "rate"),
          .gradient_norm = optional_in(json, "gradient_norm"),
          .tokens_per_second = number_in(json, "tokens_per_second"),
          .rank_tokens_per_second = json.value("rank_tokens_per_second", std::vector<double>{}),
          .seconds = number_in(json, "seconds"),
          .target_tokens = count_in(json, "target_tokens"),
          .flops = number_in(json, "flops"),
          .nominal_flops = number_in(json, "nominal_flops"),
          .time = optional_in(json, "time").value_or(0)};
}

Validation validation_from(const Json& json) {
  Validation record{.step = count_in(json, "step"),
                    .scores = figures_in(json),
                    .best = json.at("best"),
                    .seconds = number_in(json, "seconds"),
                    .time = optional_in(json, "time").value_or(0)};
  for (const Json& sample : json.at("samples")) {
    record.samples.push_back({sample.at("source"), sample.at("reference"), sample.at("translation")});
  }
  return record;
}

// Throws if the record is damaged.
void add_to(TrainingRecords& records, const Json& json) {
  if (json.at("kind") == kValidation) {
    records.validations.push_back(validation_from(json));
  } else {
    records.progress.push_back(progress_from(json));
  }
}

// Bytes of a sentence that are not UTF-8 are written as replacement characters.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Whether a line without an end can be the beginning of a record: of one that a run is writing, or was writing when it
// was killed. After a power failure the file may end in zero bytes.
bool may_be_unfinished(std::string_view line) {
  constexpr std::string_view kRecordStart = R"({"kind":")";
  const std::string_view written = line.substr(0, line.find('\0'));
  return written.starts_with(kRecordStart.substr(0, written.size()));
}

constexpr std::size_t kLargestFile = 1 << 30;  // enough for millions of records

// Calls `see` with the line and the JSON of every record, in the order of the file.
void each_record(const std::filesystem::path& path, const std::function<void(std::string_view, const Json&)>& see) {
  const std::string text = read_plain_file(path, kLargestFile);
  std::string_view rest = text;
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = rest.find('\n');
    const bool is_unfinished = end == std::string_view::npos;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(is_unfinished ? rest.size() : end + 1);
    const auto refuse_unless_unfinished = [&] {
      require<Error>(is_unfinished && may_be_unfinished(line), "line ", line_number, " of '", path.string(),
                     "' is not a record of a training run; remove that line.");
    };
    try {
      see(line, try_parse_json(line));
    } catch (const nlohmann::json::exception&) {
      refuse_unless_unfinished();
    } catch (const Error&) {
      refuse_unless_unfinished();
    }
  }
}

// Removes the records after the step from the file, and returns the path.
const std::filesystem::path& cut_after(const std::filesystem::path& path, std::int64_t step) {
  std::string kept;
  if (step > 0 && std::filesystem::exists(status_of(path))) {
    each_record(path, [&](std::string_view line, const Json& json) {
      if (count_in(json, "step") <= step) kept.append(line).append("\n");
    });
  }
  replace_file(path, kept);
  return path;
}

}  // namespace

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json to_json(const ProgressRecord& record) {
  Json json{{"kind", kProgress}, {"step", record.step}, {"epoch", record.epoch}};
  add_figures(json, record.losses);
  json["rate"] = number(record.rate);
  if (record.gradient_norm) json["gradient_norm"] = number(*record.gradient_norm);
  json["tokens_per_second"] = number(record.tokens_per_second);
  if (!record.rank_tokens_per_second.empty()) json["rank_tokens_per_second"] = record.rank_tokens_per_second;
  json["seconds"] = number(record.seconds);
  json["target_tokens"] = record.target_tokens;
  json["flops"] = number(record.flops);
  json["nominal_flops"] = number(record.nominal_flops);
  if (record.time > 0) json["time"] = record.time;
  return json;
}

Json to_json(const Validation& record) {
  Json json{{"kind", kValidation}, {"step", record.step}};
  add_figures(json, record.scores);
  json["best"] = record.best;
  json["seconds"] = number(record.seconds);
  if (record.time > 0) json["time"] = record.time;
  json["samples"] = Json::array();
  for (const Sample& sample : record.samples) {
    json["samples"].push_back(
        {{"source", sample.source}, {"reference", sample.reference}, {"translation", sample.translation}});
  }
  return json;
}

MetricsFile::MetricsFile(const std::filesystem::path& path, std::int64_t step) : file_(cut_after(path, step)) {}

void MetricsFile::add(const Json& record) { file_.append(line_of(record)); }
void MetricsFile::add(const ProgressRecord& record) { add(to_json(record)); }
void MetricsFile::add(const Validation& record) { add(to_json(record)); }

std::vector<Json> read_records(const std::filesystem::path& path) {
  std::vector<Json> records;
  each_record(path, [&](std::string_view, const Json& json) {
    TrainingRecords checked;
    add_to(checked, json);
    records.push_back(json);
  });
  return records;
}

TrainingRecords read_metrics(const std::filesystem::path& path) {
  TrainingRecords metrics;
  each_record(path, [&](std::string_view, const Json& json) { add_to(metrics, json); });
  return metrics;
}

}  // namespace dragoman::train
