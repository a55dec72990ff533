// Writes the records of a training run as an event file of TensorBoard, which shows their numbers as curves.
//
// An event file is a sequence of TFRecords: the length of the data as 8 bytes, its masked CRC-32C, the data, and the
// masked CRC-32C of the data, all little-endian. The data is an Event in the format of protocol buffers: wall_time (1,
// double), step (2, varint), and either file_version (3, string) or summary (5), whose values (1) have a tag (1,
// string) and a simple_value (2, float).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/files.h"
#include "dragoman/base/json.h"

namespace dragoman::train {

class EventFile {
 public:
  // Begins a new file in the directory, which holds the records so far, and removes the older event files of the run.
  // So a run that was resumed has each record once. Records are those of metrics.jsonl. Throws an Error that names the
  // file if the disk is full or fails.
  EventFile(const std::filesystem::path& directory, std::span<const Json> records);

  // Each number of the record becomes a scalar: "train/loss", or "validation/bleu".
  void add(const Json& record);

 private:
  double start_;  // Unix time
  FileAppender file_;
};

// The bytes of a file, for tests. `time` is used for a record without a time.
std::string tf_record(std::string_view data);
std::string version_event(double time);
std::string record_event(const Json& record, double time);

}  // namespace dragoman::train
