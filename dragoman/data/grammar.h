// A synchronous grammar: makes sentences of two languages at once, so that each is the other's translation. Words,
// inflection tables and rules all come from a text file, whose own header explains its format; see
// configs/demo/english-german.grammar.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::data {

struct TextPair {
  std::string source, target;

  bool operator==(const TextPair&) const = default;
};

// A pair and its construction: which rules and words were combined to make it. Numbers ascend, each occurs once.
struct Derivation {
  TextPair text;
  std::vector<int> rules;
  std::vector<int> words;
};

struct GrammarRules;  // what the file says, in dragoman/data/grammar_rules.h

// The grammar is read and checked whole by the constructor; deriving sentences changes nothing in it.
class Grammar {
 public:
  // `name` stands for the file in the texts of errors. Throws a UsageError with file and line for anything that is not
  // a grammar, down to a rule that speaks of a column which a list of words does not have.
  Grammar(std::string_view text, std::string_view name);

  // A random sentence. Recursion ends: past a certain depth only the shortest rules are taken. Throws a UsageError,
  // with file and line, where the rules reach a dead end (no word is left after all conditions) or would never finish.
  Derivation derive(RandomStream& random) const;

  // Whether the sentence combines two rules, or two words, that the file keeps for the test set (`unseen` lines).
  bool unseen(const Derivation& derivation) const;

  // Rules and words are numbered from 0. A word's name is its first cell.
  int rule_count() const;
  int word_count() const;
  const std::string& rule_name(int rule) const;
  const std::string& word_name(int word) const;

 private:
  std::shared_ptr<const GrammarRules> rules_;
};

// The text of configs/demo/english-german.grammar, which is compiled into the program.
std::string_view demo_grammar();

}  // namespace dragoman::data
