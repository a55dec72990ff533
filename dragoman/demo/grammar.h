// A synchronous grammar: generates a sentence and its translation at the same time. Words, inflection tables and rules
// come from a text file whose header explains the format; see configs/demo/english-german.grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/eval/word_links.h"

namespace dragoman::demo {

struct TextPair {
  std::string source, target;

  bool operator==(const TextPair&) const = default;
};

// A word of the source that stands for another word, such as a pronoun. Words are numbered from 0, as separated by
// spaces.
struct Reference {
  std::int64_t pronoun = 0;
  std::int64_t meant = 0, other = 0;  // the word that it stands for, and one that it could be mistaken for
  std::int64_t translation = 0;       // the pronoun in the target
};

// A pair and how it was made: the numbers of its rules and words, in ascending order, each once, and which words of the
// pair belong together, as separated by spaces: those that were written from the same word of a list, by the same rule,
// or with the same mark (^).
struct Derivation {
  TextPair text;
  std::vector<eval::WordLink> links;
  std::vector<int> rules;
  std::vector<int> words;
  std::optional<Reference> reference;  // of the last rule with a `refers` line, if there is one
};

// The languages of a grammar's sentences, as tags of BCP 47.
struct Languages {
  std::string source = "source", target = "target";  // if the file does not name them
};

struct GrammarRules;  // the contents of the file, in dragoman/demo/grammar_rules.h

// The constructor reads and checks the whole grammar. Deriving sentences does not change it.
class Grammar {
 public:
  // `name` stands for the file in error messages. Throws a UsageError with file and line for any mistake, such as a
  // rule that uses a column which its list of words does not have.
  Grammar(std::string_view text, std::string_view name);

  // A random sentence. Recursion always ends: rules that would lead too deep are not used. Throws a UsageError with
  // file and line if no rule or word satisfies all conditions, or if the sentence would become too large.
  Derivation derive(RandomStream& random) const;

  // Whether the sentence combines two rules, or two words, that the file reserves for the test set (`unseen` lines).
  bool unseen(const Derivation& derivation) const;

  const Languages& languages() const;

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

}  // namespace dragoman::demo
