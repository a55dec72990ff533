// The records of a training run: one JSON object per line in `metrics.jsonl`, written while it trains and read back for
// its report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/json.h"
#include "dragoman/train/report/figures.h"

namespace dragoman::train {

// The progress of training after a step. Means are over the steps since the last such record. Cumulative numbers count
// from step 0, over all sessions of the run.
struct ProgressRecord {
  std::int64_t step = 0;
  std::int64_t epoch = 0;  // counted from 1
  Figures losses = {};     // in translation "loss" (label-smoothed) and "nll" (plain), in nats per target token
  double rate = 0;         // the learning rate
  std::optional<double> gradient_norm = {};
  double tokens_per_second = 0;  // target tokens
  // Of each rank, without the time in which it waited for others; empty if there is one, or if unknown.
  std::vector<double> rank_tokens_per_second = {};
  double seconds = 0;              // cumulative: time spent training
  std::int64_t target_tokens = 0;  // cumulative
  double flops = 0;                // cumulative: 6 for each multiply-add of the model's products
  double nominal_flops = 0;        // cumulative: seconds times the machine's rate, as in Table 2; 0 if unknown
  double time = 0;                 // when it was recorded, as Unix time in seconds; 0 if unknown
};

struct Sample {
  std::string source = {};
  std::string reference = {};
  std::string translation = {};
};

struct Validation {
  std::int64_t step = 0;
  Figures scores = {};  // in translation "nll" (plain, nats per target token), and "bleu" if sentences were translated
  std::vector<Sample> samples = {};
  bool best = false;   // the best so far
  double seconds = 0;  // time that the validation itself took
  double time = 0;     // as in ProgressRecord
};

struct TrainingRecords {
  std::vector<ProgressRecord> progress;
  std::vector<Validation> validations;
};

// The time now, for ProgressRecord::time.
double unix_time();

// A record as the file holds it: an object with its kind and step, whose numbers are the record's.
Json to_json(const ProgressRecord& record);
Json to_json(const Validation& record);

// The file that a run appends its records to. A record is in the file when add() returns. A value that is not finite is
// written as null. Throws an Error that names the file if the disk is full or fails.
class MetricsFile {
 public:
  // At step 0 the file is emptied. A run that resumes at a later step keeps the records up to and including that step.
  // Records that a killed run wrote after its last checkpoint, the last perhaps incomplete, are removed. The file is
  // replaced atomically.
  MetricsFile(const std::filesystem::path& path, std::int64_t step);

  void add(const Json& record);
  void add(const ProgressRecord& record);
  void add(const Validation& record);
  // Flushes the records to the disk.
  void flush() { file_.flush(); }

 private:
  FileAppender file_;
};

// All records in the order of the file. The beginning of a record at the end of the file is ignored, because the run
// may be writing it. Throws an Error that names the line for any other damaged line. null is read as NaN.
TrainingRecords read_metrics(const std::filesystem::path& path);
// The same as the file holds them.
std::vector<Json> read_records(const std::filesystem::path& path);

}  // namespace dragoman::train
