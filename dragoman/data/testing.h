// For tests: small corpora on disk and a tokenizer that makes one token of each word.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/data/token_cache.h"
#include "dragoman/text/testing.h"

namespace dragoman::data {

// The message of the error that f throws; empty if it throws none.
template <class Failure = Error, class F>
std::string error_message_of(const F& f) {
  try {
    f();
  } catch (const Failure& error) {
    return error.what();
  }
  return "";
}

// One token per word. The words are one, two, ... nine.
inline const text::Tokenizer& word_tokenizer() {
  static const text::Tokenizer tokenizer =
      text::train_tokenizer({.kind = text::TokenizerKind::kWord}, 20, 1,
                            text::one_by_one({"one two three", "four five six", "seven eight nine"}));
  return tokenizer;
}

// A sentence of n words.
inline std::string words(int n) {
  static const std::vector<std::string> kWords{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  std::string sentence;
  for (int i = 0; i < n; ++i) sentence += (i > 0 ? " " : "") + kWords[i % kWords.size()];
  return sentence;
}

class CorpusTest : public ::testing::Test {
 protected:
  CorpusTest() { make_directory(directory); }
  ~CorpusTest() override { std::filesystem::remove_all(directory); }

  std::string write(const std::string& name, const std::string& text) const {
    replace_file(directory / name, text);
    return directory / name;
  }
  // A corpus whose pair i has sources[i] and targets[i] words.
  ParallelFiles corpus(const std::string& name, const std::vector<int>& sources,
                       const std::vector<int>& targets) const {
    std::string source, target;
    for (const int n : sources) source += words(n) + "\n";
    for (const int n : targets) target += words(n) + "\n";
    return {.source = write(name + ".src", source), .target = write(name + ".tgt", target)};
  }
  CacheRequest request(const std::vector<ParallelFiles>& files) const {
    return {.files = files,
            .source = word_tokenizer(),
            .target = word_tokenizer(),
            .cleaning = {},
            .directory = directory / "cache",
            .threads = 1};
  }

  std::filesystem::path directory = ::testing::TempDir() + "dragoman_data_" + std::to_string(::getpid()) + "_" +
                                    ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

}  // namespace dragoman::data
