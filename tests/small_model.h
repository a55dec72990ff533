// A small model with random weights in its own directory; its words are one, two, ... nine. Also helpers that run the
// program with it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/program.h"

namespace dragoman {

// Writes the model; the seed was chosen so that it ends its sentences. `source` and `target` name its languages.
void write_small_model(const std::string& directory, const std::string& source = "", const std::string& target = "");

class SmallModelTest : public ::testing::Test {
 protected:
  SmallModelTest();
  ~SmallModelTest() override;

  std::string file(const std::string& name) const { return directory + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;
  // Two threads, unless the flags say otherwise.
  std::string command(const std::string& verb, const std::string& flags) const;
  Ending translate(const std::string& input, const std::string& flags = "") const;
  // Translates with another model in this directory.
  Ending with(const std::string& name, const std::string& input, const std::string& flags = "") const;
  // Translates `text` with one sentence at a time, and with batches in two threads.
  void expect_the_same_however_shared_out(const std::string& name, const std::string& text,
                                          const std::string& how) const;

  static std::vector<std::string> lines_of(const std::string& text);
  // Sentences of one to twelve words, and some empty lines.
  static std::vector<std::string> random_lines(int count, std::uint64_t seed);
  static std::string joined(const std::vector<std::string>& lines);

  std::string directory = scratch(std::string("_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string model = directory + "/model";
};

}  // namespace dragoman
