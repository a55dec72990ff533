// What a grammar file says, with all names resolved. grammar_reader.cpp fills it, grammar.cpp makes sentences of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::data {

// A list of words, each with a cell for every column.
struct WordList {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> words;
  int first = 0;  // the number of the first word, counted through all lists
};

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
};

// A text that a rule speaks of. A rule's parameters, texts and children have one slot each.
struct Operand {
  int slot = -1;      // -1: the constant `name`
  std::string name;   // the child's text or column; empty for a text of the rule itself
  int named_by = -1;  // the slot of the text that names the column, in place of `name`
};

// A constant, a text, or a cell of a table.
struct Piece {
  int table = -1;
  Operand operand;  // the row, if there is a table
  Operand column;
};
using Template = std::vector<Piece>;

// What a child is made of: a category's rules or a list's words.
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
  std::vector<std::pair<int, Template>> arguments;  // by the category's parameter, or the list's column that must match
  std::vector<Template> choices;
};

struct Rule {
  std::string name;
  int line = 0;
  int number = 0;
  double weight = 1;
  std::vector<std::pair<int, std::string>> conditions;  // a parameter's slot, and what it must match
  std::vector<std::string> slots;                       // parameters first
  std::vector<Step> steps;
  int height = 0;  // of the lowest tree
};

struct Category {
  std::string name;
  int line = 0;
  std::vector<std::string> parameters;
  std::vector<Rule> rules;
};

struct Respelling {
  bool target = false;
  std::string from, to;
};

// Two rules, or a share of the pairs of words of two lists.
struct UnseenPair {
  bool lists = false;
  int a = 0, b = 0;
  double share = 1;
};

struct GrammarRules {
  std::string file;
  std::vector<WordList> lists;
  std::vector<Table> tables;
  std::vector<Category> categories;
  std::vector<Respelling> respellings;
  std::vector<UnseenPair> unseen;
  int start = 0;  // the category Sentence
  std::vector<std::string> rule_names, word_names;
};

// Alternatives as in acc/dat. Two texts match when they have an alternative in common.
bool matches(std::string_view a, std::string_view b);

// A sentence as it is written: one space between words and none before punctuation, respelled, a capital in front.
std::string spell(const GrammarRules& grammar, std::string_view text, bool target);

// The place of a name in a list of names, -1 if it is not there.
int place_of(std::string_view name, const std::vector<std::string>& names);

GrammarRules read_grammar(std::string_view text, std::string_view name);

}  // namespace dragoman::data
