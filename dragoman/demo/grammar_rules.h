// The contents of a grammar file, with all names resolved. grammar_reader.cpp fills it in, grammar.cpp makes sentences.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/demo/grammar.h"
#include "dragoman/demo/traced_text.h"

namespace dragoman::demo {

// A list of words, each with a cell for every column.
struct WordList {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> words;
  int first = 0;  // number of the first word, counted through all lists
};

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
};

// A text that a rule refers to. Each parameter, text and child of a rule has a slot.
struct Operand {
  int slot = -1;      // -1 for the constant `name`
  std::string name;   // the child's text or column; empty for a text of the rule itself
  int named_by = -1;  // if not -1: slot of the text that names the column, used instead of `name`
};

// A constant, a text, or a cell of a table.
struct Piece {
  int table = -1;   // index of the table; -1 for a constant or a text
  Operand operand;  // the constant or text; for a table, the name of the row
  Operand column;   // for a table, the name of the column
  // What the piece is linked by, instead of by what it comes from; -1 if it is not marked.
  int mark_slot = -1;   // a text or parameter: all pieces that are marked with its value are linked
  int mark_label = -1;  // a label of the rule: an index into Rule::labels
};
using Template = std::vector<Piece>;

// What a child is made of: a category with its rules, or a list with its words.
struct Symbol {
  bool is_list = false;
  int index = 0;
};

// One line of a rule: a child, or a text with equally likely choices.
struct Step {
  int line = 0;
  int slot = 0;
  bool is_child = false;
  Symbol symbol;
  std::vector<std::pair<int, Template>> arguments;  // a parameter of the category, or a column of the list to match
  std::vector<Template> choices;
};

// A mark of a rule: a text or parameter whose value it is, or one of its labels.
struct Mark {
  int slot = -1, label = -1;
};

// A word that stands for another word, and not for a third one, in sentences with this rule (`refers` lines).
struct RuleReference {
  Mark pronoun, meant, other;
};

struct Rule {
  std::string name;
  int line = 0;
  int number = 0;  // counted through all categories; its name is rule_names[number]
  double weight = 1;
  std::vector<std::pair<int, std::string>> conditions;  // a parameter's slot, and the text that it must match
  std::vector<std::string> slots;                       // parameters first
  std::vector<std::string> labels;                      // of pieces that are linked with each other
  std::vector<Step> steps;
  std::optional<RuleReference> reference;
  int height = 0;  // of the lowest tree that this rule can make
};

struct Category {
  std::string name;
  int line = 0;
  std::vector<std::string> parameters;
  std::vector<Rule> rules;
};

struct Respelling {
  bool target = false;  // whether it applies to the target; otherwise to the source
  std::string from, to;
};

// Combinations kept for the test set: two rules, or a share of the pairs of words from two lists.
struct UnseenRules {
  int a = 0, b = 0;  // numbers of the rules
};
struct UnseenWords {
  int a = 0, b = 0;                     // the lists
  std::set<std::pair<int, int>> pairs;  // a word of each
};

struct GrammarRules {
  std::string file;
  Languages languages;
  std::vector<WordList> lists;
  std::vector<Table> tables;
  std::vector<Category> categories;
  std::vector<Respelling> respellings;
  std::vector<UnseenRules> unseen_rules;
  std::vector<UnseenWords> unseen_words;
  int start = 0;                                    // the category Sentence
  std::vector<std::string> rule_names, word_names;  // by the numbers of rules and words
};

// A text may list alternatives, as in acc/dat. Two texts match if they have an alternative in common.
bool matches(std::string_view a, std::string_view b);

// Writes a sentence: one space between words and none before punctuation, respelled, with a capital at the start.
TracedText spell(const GrammarRules& grammar, const TracedText& text, bool target);

// The index of a name in a list of names; -1 if it is not there.
int index_of(std::string_view name, const std::vector<std::string>& names);

// `name` stands for the file in error messages. Throws a UsageError with file and line for any mistake.
GrammarRules read_grammar(std::string_view text, std::string_view name);

}  // namespace dragoman::demo
