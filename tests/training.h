// Small training runs of the program, and helpers to compare their files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "tests/child.h"
#include "tests/program.h"

namespace dragoman {

// A directory with a small parallel text: the target has the source's words in reverse order, each spelt backwards.
class TrainingTest : public ::testing::Test {
 protected:
  TrainingTest();
  ~TrainingTest() override;

  void write_text(const std::string& name, int pairs, std::uint64_t seed) const;
  std::string file(const std::string& name) const { return directory + "/" + name; }
  std::string text_flags() const;
  // Turns on everything that makes a step depend on earlier ones: dropout, shuffling, accumulation, averages.
  std::string flags() const;
  std::string train(const std::string& model, const std::string& more = "") const;

  std::string directory = scratch(std::string("_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

// Removes times from JSON. Two runs of the same command differ only in times and in what is derived from them:
// report.html except its samples, the checksum of a state, and corpus/contents, which records when a text was written.
Json timeless(Json object);

// The records of a run, without values that depend on the clock.
std::vector<Json> timeless_metrics(const std::string& model);

// The part of the text from the first occurrence of `first` up to the next `last`.
std::string part_of(const std::string& text, const std::string& first, const std::string& last);

// All files of a run by relative path, without what depends on the clock.
std::map<std::string, std::string> timeless_files(const std::string& model);

// Checks that two runs left the same files with the same bytes, except for what depends on the clock.
void expect_same_directory(const std::string& one, const std::string& other);

std::string checkpoint(const std::string& model, int step);

// The bytes of the weights and moments after a step, and of the published weights.
std::map<std::string, std::string> bytes_of(const std::string& model, int step);

void expect_same_weights(const std::string& one, const std::string& other, int step);

void expect_same_run(const std::string& one, const std::string& other, int step);

// The step from which a run says that it resumed; 0 if it started from scratch.
int resumed_step(const Ending& ending);

// The steps that have a checkpoint, or with ".unfinished" those whose checkpoint is being written.
std::vector<int> checkpoint_steps(const std::string& model, const std::string& name_ending = "");

}  // namespace dragoman
