// A small model with random weights in its own directory; its words are one, two, ... nine. Also helpers that run the
// program with it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/random.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"
#include "tests/program.h"

namespace dragoman {

// Writes a model of these settings with the words of data::word_tokenizer(). Its weights are twice as large as at the
// start of training. Small is model::SmallModel, or another SmallModelOf<>.
template <class Small = model::SmallModel, class Config>
void write_random_model(const std::string& directory, const Config& config, std::uint64_t seed,
                        const std::string& source = "", const std::string& target = "") {
  make_directory(directory);
  model::ModelInfo info;
  info.config = config;
  info.config.set_vocabularies(data::word_tokenizer().size(), data::word_tokenizer().size());
  info.source_language = source;
  info.target_language = target;
  Small small(info.config.as<Config>(), {.seed = seed});
  for (const params::NamedTensor& tensor : small.block.tensors()) {
    small.on->scaled(tensor.values, 1, Sink::accumulate(tensor.values));
  }
  small.add_noise();
  model::write_info(directory, info);
  model::write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
  model::write_safetensors(model::weights_file(directory), *small.on, small.block.saved());
}

// Writes the model; the seed was chosen so that it ends its sentences. `source` and `target` name its languages.
inline void write_small_model(const std::string& directory, const std::string& source = "",
                              const std::string& target = "") {
  write_random_model(directory, model::small_config(), 6, source, target);
}

class SmallModelTest : public ::testing::Test {
 protected:
  SmallModelTest() {
    std::filesystem::remove_all(directory);
    write_small_model(model);
  }
  ~SmallModelTest() override { std::filesystem::remove_all(directory); }

  std::string file(const std::string& name) const { return directory + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    replace_file(file(name), text);
    return file(name);
  }
  // Two threads, unless the flags say otherwise.
  std::string command(const std::string& verb, const std::string& flags) const {
    return kProgram + " " + verb + " --model " + model + " --threads 2 " + flags;
  }
  Ending translate(const std::string& input, const std::string& flags = "") const {
    return shell(command("translate", flags) + " < " + write("input", input));
  }
  // Translates with another model in this directory.
  Ending with(const std::string& name, const std::string& input, const std::string& flags = "") const {
    const Ending ending = shell(kProgram + " translate --threads 2 --max-extra 10 --model " + file(name) + " " + flags +
                                " < " + write("input", input));
    EXPECT_EQ(ending.status, 0) << name << " " << flags << ": " << ending.err;
    return ending;
  }
  // Translates `text` with one sentence at a time, and with batches in two threads.
  void expect_the_same_however_shared_out(const std::string& name, const std::string& text,
                                          const std::string& how) const {
    const std::string flags = how + " --scores ", expected = with(name, text, flags).out;
    EXPECT_EQ(lines_of(expected).size(), lines_of(text).size());
    EXPECT_EQ(with(name, text, flags + "--batch-size 1 --threads 1").out, expected) << name << how;
    EXPECT_EQ(with(name, text, flags + "--workers 2 --batch-size 7").out, expected) << name << how;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  // Sentences of one to twelve words, and some empty lines.
  static std::vector<std::string> random_lines(int count, std::uint64_t seed) {
    RandomStream random(seed);
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i) {
      std::string& line = lines.emplace_back();
      for (std::uint32_t n = random.below(13); n > 0; --n) {
        line += (line.empty() ? "" : " ") + vocabulary()[random.below(9)];
      }
    }
    return lines;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  std::string directory = scratch(std::string("_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string model = directory + "/model";

 private:
  static const std::vector<std::string>& vocabulary() {
    static const std::vector<std::string> kWords{"one", "two",   "three", "four", "five",
                                                 "six", "seven", "eight", "nine"};
    return kWords;
  }
};

}  // namespace dragoman
