#include "tests/training.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/random.h"
#include "tests/matching.h"

namespace dragoman {

TrainingTest::TrainingTest() {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  write_text("train", 400, 1);
  write_text("valid", 30, 2);
}
TrainingTest::~TrainingTest() { std::filesystem::remove_all(directory); }

void TrainingTest::write_text(const std::string& name, int pairs, std::uint64_t seed) const {
  static const std::vector<std::array<std::string, 2>> kWords{
      {"the", "eht"}, {"cat", "tac"},     {"dog", "god"},   {"sees", "sees"},   {"hears", "sraeh"}, {"old", "dlo"},
      {"red", "der"}, {"house", "esuoh"}, {"tree", "eert"}, {"under", "rednu"}, {"small", "llams"}, {"a", "a"}};
  RandomStream random(seed);
  std::string source, target;
  for (int pair = 0; pair < pairs; ++pair) {
    std::string backwards = "\n";
    for (std::uint32_t n = 2 + random.below(8); n > 0; --n) {
      const auto& [word, translation] = kWords[random.below(static_cast<std::uint32_t>(kWords.size()))];
      source += word + (n == 1 ? "\n" : " ");
      backwards = translation + (backwards == "\n" ? "" : " ") + backwards;
    }
    target += backwards;
  }
  replace_file(file(name + ".en"), source);
  replace_file(file(name + ".ne"), target);
}

std::string TrainingTest::text_flags() const {
  return " --train-source " + file("train.en") + " --train-target " + file("train.ne") + " --valid-source " +
         file("valid.en") + " --valid-target " + file("valid.ne");
}

std::string TrainingTest::flags() const {
  return text_flags() +
         " --layers 1 --d-model 16 --d-ff 32 --heads 2 --vocabulary 60 --max-length 40 --warmup 100"
         " --batch-tokens 256 --accumulate 2 --ema 0.99 --average 3 --dropout 0.1"
         " --save-every 20 --valid-every 40 --report-every 30 --valid-bleu-sentences 5 --threads 1";
}

std::string TrainingTest::train(const std::string& model, const std::string& more) const {
  return "train --model " + file(model) + flags() + " " + more;
}

Json timeless(Json object) {
  for (const char* key : {"seconds", "tokens_per_second", "rank_tokens_per_second", "nominal_flops", "time"})
    object.erase(key);
  if (object.contains("window") && object["window"].is_object()) object["window"].erase("seconds");
  return object;
}

std::vector<Json> timeless_metrics(const std::string& model) {
  std::vector<Json> records;
  std::ifstream file(model + "/metrics.jsonl");
  for (std::string line; std::getline(file, line);) records.push_back(timeless(parse_json(line, "a record")));
  return records;
}

std::string part_of(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = std::min(text.find(first), text.size()),
                    end = std::min(text.find(last, begin), text.size());
  return text.substr(begin, end - begin);
}

std::map<std::string, std::string> timeless_files(const std::string& model) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(model)) {
    const std::string path = entry.path().string().substr(model.size() + 1), name = entry.path().filename();
    if (path == "corpus/contents") continue;
    std::string& text = files[path];
    if (!entry.is_regular_file()) continue;
    text = read_file(entry.path());
    if (name == "state.json") text = timeless(parse_json(text, path)).dump();
    if (path == "metrics.jsonl") text = Json(timeless_metrics(model)).dump();
    if (path == "report.html") text = part_of(text, "<section class=\"samples\">", "</section>");
    if (name == "checksums.json") {
      Json checksums = parse_json(text, path);
      checksums.erase("state.json");
      text = checksums.dump();
    }
  }
  return files;
}

void expect_same_directory(const std::string& one, const std::string& other) {
  const auto files = timeless_files(one), others = timeless_files(other);
  for (const auto& [path, text] : files) {
    const auto found = others.find(path);
    const bool is_there = found != others.end();
    EXPECT_TRUE(is_there) << path << " is missing in " << other;
    EXPECT_TRUE(!is_there || found->second == text) << path << " differs in " << other;
  }
  for (const auto& [path, text] : others) EXPECT_TRUE(files.contains(path)) << path << " should not be in " << other;
}

std::string checkpoint(const std::string& model, int step) {
  return model + "/checkpoints/step-" + std::to_string(step);
}

std::map<std::string, std::string> bytes_of(const std::string& model, int step) {
  std::map<std::string, std::string> bytes;
  for (const std::string& path : {checkpoint(model, step) + "/model.safetensors",
                                  checkpoint(model, step) + "/optimiser.safetensors", model + "/model.safetensors"}) {
    bytes[path.substr(model.size())] = std::filesystem::exists(path) ? read_file(path) : "missing in " + model;
  }
  return bytes;
}

void expect_same_weights(const std::string& one, const std::string& other, int step) {
  EXPECT_TRUE(bytes_of(one, step) == bytes_of(other, step)) << one << " and " << other << " have different weights";
}

void expect_same_run(const std::string& one, const std::string& other, int step) {
  expect_same_weights(one, other, step);
  EXPECT_TRUE(timeless_metrics(one) == timeless_metrics(other)) << one << " and " << other << " have different records";
}

int resumed_step(const Ending& ending) { return number_in(ending.err, "resuming from step ([0-9]+)"); }

std::vector<int> checkpoint_steps(const std::string& model, const std::string& name_ending) {
  std::vector<int> steps;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(model + "/checkpoints", none)) {
    const std::string name = entry.path().filename().string();
    const std::vector<std::string> match = whole_match(name, "step-([0-9]+)" + name_ending);
    if (!match.empty()) steps.push_back(std::stoi(match[1]));
  }
  std::ranges::sort(steps);
  return steps;
}

}  // namespace dragoman
