// The corpus of `dragoman demo`: sentences from a grammar, split so that the test set cannot be solved by memorising.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/demo/grammar.h"

namespace dragoman::demo {

struct DemoCorpusSettings {
  int train = 50000;
  int valid = 500;
  int test = 1000;
  int references = 300;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("train-pairs", train, "sentence pairs to train on");
    field("valid-pairs", valid, "sentence pairs to validate with");
    field("test-pairs", test, "sentence pairs to test with");
    field("reference-pairs", references, "sentence pairs with a pronoun to test with, if the grammar has such rules");
    field("seed", seed, "seed of all random numbers");
  }

  // Throws a UsageError if no corpus can be made with these settings.
  void validate() const;
};

using WordLinks = std::vector<eval::WordLink>;  // of one pair, see Derivation

// A pair with a word that stands for another one (`refers` lines of the grammar).
struct ReferencePair {
  TextPair text;
  Reference reference;
};

struct DemoCorpus {
  Languages languages;
  std::vector<TextPair> train, valid, test;
  std::vector<WordLinks> valid_links, test_links;  // for each pair
  // The first of such pairs in `train`, and as many that combine what no training pair combines; only those whose
  // pronoun comes after both words that it could stand for. Both are empty if the grammar has no such rules.
  std::vector<ReferencePair> train_references, unseen_references;
};

// Every source sentence occurs once in the whole corpus, and has one translation.
//
// A test sentence combines two rules, or two words, that no training sentence combines (Grammar::unseen): for example
// "question" with "possessive", although questions and possessives are both frequent in training. Validation sentences
// have the same kind of combinations as training sentences. Sentences with a reference are a test set of their own.
// Every word form of the test and validation sets, on either side, occurs at least five times in training.
//
// Throws a UsageError if the grammar translates a sentence in two ways, or makes too few sentences for a set.
DemoCorpus make_demo_corpus(const Grammar& grammar, const DemoCorpusSettings& settings);

// The different words of the source sentences, without punctuation marks, in alphabetical order. A word that occurs
// only as the first of a sentence is written with a small letter.
std::vector<std::string> source_words(const std::vector<TextPair>& pairs);

}  // namespace dragoman::demo
