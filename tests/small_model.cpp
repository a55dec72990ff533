#include "tests/small_model.h"

#include <filesystem>
#include <sstream>

#include "dragoman/base/files.h"
#include "dragoman/base/random.h"
#include "dragoman/model/testing.h"
#include "tests/random_model.h"

namespace dragoman {

void write_small_model(const std::string& directory, const std::string& source, const std::string& target) {
  write_random_model(directory, model::small_config(), 6, source, target);
}

SmallModelTest::SmallModelTest() {
  std::filesystem::remove_all(directory);
  write_small_model(model);
}
SmallModelTest::~SmallModelTest() { std::filesystem::remove_all(directory); }

std::string SmallModelTest::write(const std::string& name, const std::string& text) const {
  replace_file(file(name), text);
  return file(name);
}

std::string SmallModelTest::command(const std::string& verb, const std::string& flags) const {
  return kProgram + " " + verb + " --model " + model + " --threads 2 " + flags;
}

Ending SmallModelTest::translate(const std::string& input, const std::string& flags) const {
  return shell(command("translate", flags) + " < " + write("input", input));
}

Ending SmallModelTest::with(const std::string& name, const std::string& input, const std::string& flags) const {
  const Ending ending = shell(kProgram + " translate --threads 2 --max-extra 10 --model " + file(name) + " " + flags +
                              " < " + write("input", input));
  EXPECT_EQ(ending.status, 0) << name << " " << flags << ": " << ending.err;
  return ending;
}

void SmallModelTest::expect_the_same_however_shared_out(const std::string& name, const std::string& text,
                                                        const std::string& how) const {
  const std::string flags = how + " --scores ", expected = with(name, text, flags).out;
  EXPECT_EQ(lines_of(expected).size(), lines_of(text).size());
  EXPECT_EQ(with(name, text, flags + "--batch-size 1 --threads 1").out, expected) << name << how;
  EXPECT_EQ(with(name, text, flags + "--workers 2 --batch-size 7").out, expected) << name << how;
}

std::vector<std::string> SmallModelTest::lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> SmallModelTest::random_lines(int count, std::uint64_t seed) {
  static const std::vector<std::string> kWords{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  RandomStream random(seed);
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string& line = lines.emplace_back();
    for (std::uint32_t n = random.below(13); n > 0; --n) line += (line.empty() ? "" : " ") + kWords[random.below(9)];
  }
  return lines;
}

std::string SmallModelTest::joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace dragoman
