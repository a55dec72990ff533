#include "dragoman/eval/length_report.h"

#include <algorithm>
#include <array>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"

namespace dragoman::eval {
namespace {

constexpr std::int64_t kMaxWords = std::int64_t{1} << 32;  // more than a test set can have

Json bucket_record(const LengthBucket& bucket) {
  return {{"words", {bucket.first, bucket.last}},
          {"sentences", bucket.sentences},
          {"bleu", bucket.bleu},
          {"bleu_interval", {bucket.interval.lower, bucket.interval.upper}},
          {"chrf", bucket.chrf},
          {"length_ratio", bucket.ratio ? Json(*bucket.ratio) : Json()}};
}

double score_entry(const Json& object, const std::string& key, std::string_view where) {
  const double score = json_entry<double>(object, key, where);
  require<Error>(score >= 0 && score < 101, where, ": '", key, "' is not a score from 0 to 100.");
  return score;
}

// The two numbers of an entry such as "words": [1, 10].
template <class Number>
std::array<Number, 2> pair_entry(const Json& object, const std::string& key, std::string_view where) {
  require<Error>(object.is_object() && object.contains(key) && object[key].is_array() && object[key].size() == 2, where,
                 ": '", key, "' is not a list of two numbers.");
  const Json pair{{"first", object[key][0]}, {"second", object[key][1]}};
  const std::array<Number, 2> numbers{json_entry<Number>(pair, "first", where),
                                      json_entry<Number>(pair, "second", where)};
  require<Error>(numbers[0] <= numbers[1], where, ": '", key, "' is not in order.");
  return numbers;
}

LengthBucket read_bucket(const Json& record, std::string_view where) {
  LengthBucket bucket;
  const auto [first, last] = pair_entry<std::int64_t>(record, "words", where);
  const auto [lower, upper] = pair_entry<double>(record, "bleu_interval", where);
  require<Error>(first >= 1 && last <= kMaxWords, where, ": 'words' is out of range.");
  require<Error>(lower >= 0 && upper < 101, where, ": 'bleu_interval' is not from 0 to 100.");
  bucket.first = first;
  bucket.last = last;
  bucket.interval = {lower, upper};
  bucket.sentences = json_entry<std::int64_t>(record, "sentences", where);
  require<Error>(bucket.sentences >= 1, where, ": 'sentences' is below 1.");
  bucket.bleu = score_entry(record, "bleu", where);
  bucket.chrf = score_entry(record, "chrf", where);
  require<Error>(record.contains("length_ratio"), where, " has no entry 'length_ratio'.");
  if (!record["length_ratio"].is_null()) {
    bucket.ratio = json_entry<double>(record, "length_ratio", where);
    require<Error>(*bucket.ratio >= 0, where, ": 'length_ratio' is below 0.");
  }
  return bucket;
}

LengthScores read_scores(const Json& record, std::string_view where) {
  LengthScores scores;
  scores.width = json_entry<int>(record, "by_length", where);
  require<Error>(scores.width >= 1, where, ": 'by_length' is below 1.");
  require<Error>(record.contains("buckets") && record["buckets"].is_array() && !record["buckets"].empty(), where,
                 " has no list 'buckets'.");
  std::int64_t end = 0;
  for (const Json& entry : record["buckets"]) {
    const LengthBucket& bucket = scores.buckets.emplace_back(read_bucket(entry, where));
    const bool fits =
        bucket.first > end && (bucket.first - 1) % scores.width == 0 && bucket.last == bucket.first + scores.width - 1;
    require<Error>(fits, where, ": 'buckets' do not fit 'by_length', or are not in order.");
    end = bucket.last;
  }
  require<Error>(record.contains("all"), where, " has no entry 'all'.");
  scores.all = read_bucket(record["all"], where);
  return scores;
}

std::string text_entry(const Json& record, const std::string& object, const std::string& key, std::string_view where) {
  require<Error>(record.contains(object), where, " has no entry '", object, "'.");
  return json_entry<std::string>(record[object], key, where);
}

}  // namespace

std::string words_text(const LengthBucket& bucket) {
  return bucket.first == bucket.last ? join(bucket.first) : join(bucket.first, "-", bucket.last);
}

std::vector<LengthRow> length_rows(std::span<const LengthReport> systems) {
  std::vector<LengthRow> rows;
  for (const LengthReport& system : systems) {
    for (const LengthBucket& bucket : system.scores.buckets) rows.push_back({words_text(bucket), &system, &bucket});
  }
  std::ranges::stable_sort(rows, {}, [](const LengthRow& row) { return row.bucket->first; });
  for (const LengthReport& system : systems) rows.push_back({"all", &system, &system.scores.all});
  return rows;
}

Json length_record(const LengthReport& report) {
  Json record = {{"by_length", report.scores.width},
                 {"join", report.join},
                 {"bleu", {{"signature", report.bleu_signature}}},
                 {"chrf", {{"name", report.chrf_name}, {"signature", report.chrf_signature}}},
                 {"buckets", Json::array()}};
  for (const LengthBucket& bucket : report.scores.buckets) record["buckets"].push_back(bucket_record(bucket));
  record["all"] = bucket_record(report.scores.all);
  return record;
}

LengthReport read_length_record(const Json& record, std::string_view where) {
  try {
    LengthReport report;
    report.scores = read_scores(record, where);
    report.join = json_entry<int>(record, "join", where);
    require<Error>(report.join >= 1, where, ": 'join' is below 1.");
    report.bleu_signature = text_entry(record, "bleu", "signature", where);
    report.chrf_name = text_entry(record, "chrf", "name", where);
    report.chrf_signature = text_entry(record, "chrf", "signature", where);
    return report;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace dragoman::eval
