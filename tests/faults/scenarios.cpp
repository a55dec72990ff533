#include "tests/faults/scenarios.h"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "dragoman/base/random.h"
#include "tests/faults/process.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTexts = {"train.en", "train.ne", "valid.en", "valid.ne", "probe.txt"};
// Turns on everything that makes a step depend on earlier ones: dropout, shuffling, accumulation, averages.
const std::string kTraining =
    " --train-source train.en --train-target train.ne --valid-source valid.en --valid-target valid.ne"
    " --source-language en --target-language de --layers 1 --d-model 8 --d-ff 16 --heads 2 --vocabulary 60"
    " --max-length 40 --warmup 10 --batch-tokens 128 --accumulate 2 --dropout 0.1 --ema 0.9 --average 2 --keep 2"
    " --save-every 5 --valid-every 10 --report-every 4 --valid-bleu-sentences 3 --probe probe.txt --csv --tensorboard"
    " --threads 1 --steps ";

// The target is the source spelt backwards, so its last word comes first.
void write_text(const fs::path& directory, const std::string& name, int pairs, std::uint64_t seed) {
  static const std::array<std::string, 12> kWords = {"the", "cat",   "dog",  "sees",  "hears", "old",
                                                     "red", "house", "tree", "under", "small", "a"};
  RandomStream random(seed);
  std::ofstream source(directory / (name + ".en")), target(directory / (name + ".ne"));
  for (int pair = 0; pair < pairs; ++pair) {
    std::string sentence;
    for (std::uint32_t n = 2 + random.below(6); n > 0; --n) {
      sentence += kWords[random.below(kWords.size())] + (n == 1 ? "" : " ");
    }
    source << sentence << "\n";
    target << std::string(sentence.rbegin(), sentence.rend()) << "\n";
  }
}

std::vector<Scenario> make_scenarios() {
  std::vector<std::string> texts_and_run = kTexts;
  texts_and_run.emplace_back("run");
  const std::string model = " --model run", search = " --max-extra 4 --threads 2";
  return {
      {.name = "train",
       .verb = "train",
       .flags = " --model model" + kTraining + "20",
       .needs = kTexts,
       .training = "model"},
      {.name = "resume", .verb = "train", .flags = model + kTraining + "20", .needs = texts_and_run, .training = "run"},
      {.name = "average", .verb = "average", .flags = model + " --last 1", .needs = {"run"}},
      {.name = "average-output",
       .verb = "average",
       .flags = model + " --last 2 --output averaged",
       .needs = {"run"},
       .whole = "averaged"},
      {.name = "export-int8",
       .verb = "export",
       .flags = model + " --precision int8 --output copy",
       .needs = {"run"},
       .whole = "copy"},
      {.name = "export-bf16",
       .verb = "export",
       .flags = model + " --precision bf16 --output copy",
       .needs = {"run"},
       .whole = "copy"},
      {.name = "import",
       .verb = "import",
       .flags = " marian --model imported",
       .needs = {"marian"},
       .whole = "imported"},
      {.name = "tokenizer-train",
       .verb = "tokenizer train",
       .flags = " --vocabulary 50 --input train.en,train.ne --output words.model",
       .needs = {"train.en", "train.ne", "words.model"}},
      {.name = "tokenizer-encode",
       .verb = "tokenizer encode",
       .flags = model,
       .input = "valid.en",
       .needs = {"run", "valid.en"},
       .prints_lines = true},
      {.name = "tokenizer-decode",
       .verb = "tokenizer decode",
       .flags = " --model words.model",
       .input = "pieces.txt",
       .needs = {"words.model", "pieces.txt"},
       .prints_lines = true},
      {.name = "evaluate",
       .verb = "evaluate",
       .flags = model + " --source valid.en --reference valid.ne --output out.txt --scores scores.tsv --json" + search,
       .needs = {"run", "valid.en", "valid.ne", "out.txt", "scores.tsv"}},
      {.name = "show",
       .verb = "show",
       .flags = model + " --input probe.txt --output page.html" + search,
       .needs = {"run", "probe.txt", "page.html"}},
      {.name = "translate",
       .verb = "translate",
       .flags = model + " --attention attention.jsonl" + search,
       .input = "valid.en",
       .needs = {"run", "valid.en", "attention.jsonl"},
       .streamed = "attention.jsonl",
       .prints_lines = true},
      {.name = "translate-files",
       .verb = "translate",
       .flags = model + " valid.en probe.txt --output out.txt" + search,
       .needs = {"run", "valid.en", "probe.txt", "out.txt"}},
  };
}

void run_cleanly(const fs::path& directory, const std::string& line) {
  const fs::path errors = directory.string() + ".errors";
  const std::string command = std::string("'") + DRAGOMAN_PROGRAM + "' " + line;
  const Exit exit = run_process({.arguments = {"/bin/sh", "-c", command},
                                 .environment = {},
                                 .directory = directory,
                                 .input = "/dev/null",
                                 .output = "/dev/null",
                                 .errors = errors});
  if (exit.status == 0) return;
  std::ostringstream said;
  said << std::ifstream(errors).rdbuf();
  throw std::runtime_error("cannot prepare the faults: " + command + ": " + exit.text() + ": " + said.str());
}

// A model of another program, as Transformers stores it.
void copy_marian(const fs::path& to) {
  const fs::path from = fs::path(DRAGOMAN_SOURCE_DIR) / "tests/models/marian";
  fs::create_directories(to);
  for (const char* name : {"config.json", "generation_config.json", "vocab.json", "source.spm", "target.spm"}) {
    fs::copy_file(from / name, to / name);
  }
  fs::copy_file(from / "sometimes.bin", to / "pytorch_model.bin");
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kScenarios = make_scenarios();
  return kScenarios;
}

void prepare(const fs::path& directory) {
  fs::create_directories(directory);
  write_text(directory, "train", 120, 1);
  write_text(directory, "valid", 8, 2);
  std::ofstream(directory / "probe.txt") << "the cat sees\na dog\tgod a\n";
  copy_marian(directory / "marian");
  run_cleanly(directory, "train --model run" + kTraining + "10");
  run_cleanly(directory, "tokenizer train --vocabulary 40 --input train.en,train.ne --output words.model");
  run_cleanly(directory, "tokenizer encode --model words.model <valid.en >pieces.txt");
  // Results of earlier runs, which must survive a failure.
  for (const char* name : {"out.txt", "scores.tsv", "page.html", "attention.jsonl"}) {
    std::ofstream(directory / name) << "an older result\n";
  }
}

}  // namespace dragoman::faults
