// The corpus of `dragoman demo`: sentences that a grammar makes, split so that the test set asks for more than memory.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/data/grammar.h"

namespace dragoman::data {

struct DemoCorpusSettings {
  int train = 50000;
  int valid = 500;
  int test = 1000;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("train-pairs", train, "sentence pairs to train on");
    field("valid-pairs", valid, "sentence pairs to validate with");
    field("test-pairs", test, "sentence pairs to test with");
    field("seed", seed, "start of every random stream");
  }

  // Throws a UsageError for settings that make no corpus.
  void validate() const;
};

struct DemoCorpus {
  std::vector<TextPair> train, valid, test;
};

// Every source sentence occurs once in the whole corpus, and has one translation.
//
// A test sentence combines two rules, or two words, that no training sentence combines (Grammar::unseen): "question"
// with "possessive", say, though questions and possessives both abound in training. A validation sentence has the
// training set's kind of combinations. Every word form of either set, on either side, occurs at least five times in
// training.
//
// Throws a UsageError if the grammar translates a sentence in two ways, or makes too few sentences of a kind.
DemoCorpus make_demo_corpus(const Grammar& grammar, const DemoCorpusSettings& settings);

}  // namespace dragoman::data
