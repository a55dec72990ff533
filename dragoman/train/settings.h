// The settings of a training run: its texts, its model, and how to train it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/backend/choice.h"
#include "dragoman/base/fields.h"
#include "dragoman/base/json.h"
#include "dragoman/data/cleaning.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::train {

// The language that a file's name ends in: "corpus/train.de.xz" -> "de". Empty if it is no language tag.
std::string language_of(const std::string& path);

// The files of the training and validation text.
struct TextSettings {
  std::vector<std::string> train_source, train_target, train_pairs;
  std::vector<std::string> train_weights;
  std::string valid_source, valid_target, valid_pairs;
  std::string source_language, target_language;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("train-source", file_name(train_source), "training text of the source language, one sentence per line");
    field("train-target", file_name(train_target), "translation of train-source, line by line");
    field("train-pairs", file_name(train_pairs), "training text as lines of source, tab, target");
    field("train-weights", train_weights,
          "how often each corpus occurs in an epoch: train-source first, then train-pairs");
    field("valid-source", file_name(valid_source), "validation text of the source language");
    field("valid-target", file_name(valid_target), "translation of valid-source");
    field("valid-pairs", file_name(valid_pairs), "validation text as lines of source, tab, target");
    field("source-language", source_language,
          "tag of the source language (BCP 47), such as en or zh-Hans; default: from the file's name");
    field("target-language", target_language, "tag of the target language; default: from the file's name");
  }

  // The training corpora with their weights. Throws a UsageError if the lists of files and weights do not match.
  std::vector<data::ParallelFiles> training_files() const;
  bool has_validation() const { return !valid_source.empty() || !valid_pairs.empty(); }
  data::ParallelFiles validation_files() const;

  // Sets languages that are not given from the names of the files, as in train.en and train.de.xz. Throws a UsageError
  // for a tag that is not BCP 47.
  void resolve_languages();
};

enum class BestBy : std::uint8_t { kNll, kBleu };
constexpr std::array<std::string_view, 2> names(BestBy) { return {"nll", "bleu"}; }

// The number format that a run computes with. kAuto is bfloat16 on a CUDA device and float32 on the CPU. With kBf16 on
// the CPU all values are stored in float32, and the operands of products are rounded.
enum class TrainingPrecision : std::uint8_t { kAuto, kFp32, kBf16 };
constexpr std::array<std::string_view, 3> names(TrainingPrecision) { return {"auto", "fp32", "bf16"}; }

// Settings that change the numbers that are computed.
struct RunSettings {
  DeviceChoice device = DeviceChoice::kCpu;
  TrainingPrecision precision = TrainingPrecision::kAuto;
  bool joint_vocabulary = true;
  double subword_sampling = 0;
  int save_every = 1000;
  int valid_every = 1000;
  int valid_bleu_sentences = 200;
  BestBy best_by = BestBy::kNll;
  int patience = 0;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("device", device, "device that computes: cpu, or cuda for an NVIDIA GPU");
    field("precision", precision,
          "fp32, or bf16: on CUDA with a float32 copy of the weights, on the CPU in products; auto is bf16 on CUDA, "
          "else fp32");
    field("joint-vocabulary", joint_vocabulary, "one vocabulary for both languages; =false for one each");
    field("subword-sampling", subword_sampling,
          "split sentences into different subwords each epoch; 0.1 is usual, 0 for off");
    field("save-every", save_every, "number of updates between checkpoints");
    field("valid-every", valid_every, "number of updates between validations");
    field("valid-bleu-sentences", valid_bleu_sentences, "validation sentences to translate for BLEU; 0 for none");
    field("best-by", best_by, "validation score that decides which model is the best so far");
    field("patience", patience, "stop after this many validations without a better one; 0 for never");
  }

  void validate() const;
  DeviceAndType device_and_type() const;
  // Whether products on the CPU round their operands (BackendOptions::bf16_products).
  bool bf16_products() const { return precision == TrainingPrecision::kBf16 && device == DeviceChoice::kCpu; }
};

// How several processes exchange gradients and weights.
enum class ExchangeChoice : std::uint8_t { kAuto, kMpi, kNccl };
constexpr std::array<std::string_view, 3> names(ExchangeChoice) { return {"auto", "mpi", "nccl"}; }

// Settings that do not change the numbers: a run may be resumed with other values.
struct MachineSettings {
  double minutes = 0;
  int threads = 0;
  OptionalSize memory_mb = 0;
  ExchangeChoice exchange = ExchangeChoice::kAuto;
  int report_every = 100;
  int keep = 1;
  std::string probe;
  bool csv = false;
  bool tensorboard = false;
  double exchange_timeout = 600;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("minutes", minutes, "stop after this many minutes of training; 0 for no limit");
    field("threads", threads, "threads to use; 0 for all");
    field("memory-mb", memory_mb,
          "memory that the run may use, in MiB (on CUDA, GPU memory; with mpirun, for each process); default: what is "
          "free, less a margin");
    field("exchange", exchange,
          "how processes of mpirun exchange gradients: mpi, or nccl between GPUs; auto is nccl if none share a GPU");
    field("report-every", report_every, "number of updates between records in metrics.jsonl");
    field("keep", keep, "checkpoints to keep; always at least the last two, and as many as --average needs");
    field("probe", file_name(probe),
          "file with a few sentences whose attention is stored at each checkpoint, as a film");
    field("csv", csv, "also write the records of metrics.jsonl as a table, metrics.csv");
    field("tensorboard", tensorboard, "also write the records for TensorBoard, as an event file in tensorboard/");
    field("exchange-timeout", exchange_timeout,
          "with mpirun: seconds that processes wait for another one before all end");
  }

  void validate() const;
};

struct TrainingSettings {
  model::ModelConfig model = model::default_model();
  model::TrainingConfig training;
  text::TokenizerSettings tokenizer;
  data::CleaningSettings cleaning;
  TextSettings text;
  RunSettings run;
  MachineSettings machine;

  // Calls visit(part) for each of the structs above.
  template <class Self, class Visitor>
  static void each(Self& self, Visitor&& visit) {
    visit(self.model);
    visit(self.training);
    visit(self.tokenizer);
    visit(self.cleaning);
    visit(self.text);
    visit(self.run);
    visit(self.machine);
  }

  void validate() const;
};

// The file is intact, but another version of the program wrote it.
struct OtherVersion : Error {
  using Error::Error;
};

// All settings of a run as one JSON object, by key, and back. Throws an OtherVersion for an unknown key.
Json to_json(const TrainingSettings& settings);
TrainingSettings settings_from_json(const Json& object, std::string_view where);

// The settings that differ and would change the results: "dropout was 0.1 and is 0.3". Paths (texts are compared by
// content), settings that do not change the numbers, and the number of steps are not compared.
std::vector<std::string> differences(const TrainingSettings& before, const TrainingSettings& now);

}  // namespace dragoman::train
