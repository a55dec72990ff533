#include <algorithm>
#include <limits>

#include "dragoman/demo/grammar_parsing.h"

namespace dragoman::demo {

namespace {

constexpr int kEndless = std::numeric_limits<int>::max() / 2;

// Whether a rule writes a text of that name; parameters and children do not count.
bool writes(const Rule& rule, std::string_view name) {
  return std::ranges::any_of(rule.steps,
                             [&](const Step& step) { return !step.is_child && rule.slots[step.slot] == name; });
}

void check_has_text(const GrammarRules& grammar, int line, const Category& category, std::string_view name) {
  for (const Rule& rule : category.rules)
    if (!writes(rule, name))
      fail_at(grammar, line, "the rule '", rule.name, "' (line ", rule.line, ") of '", category.name,
              "' writes no text '", name, "'.");
}

// Checks that what `operand` reads from a child exists. Constants, parameters and texts of the rule itself are not read
// from a child. A column named by a text is looked up only during derivation.
void check_operand(const GrammarRules& grammar, const Category& category, const Rule& rule, int line,
                   const Operand& operand) {
  if (operand.slot < static_cast<int>(category.parameters.size()) || operand.name.empty()) return;
  const Symbol symbol = rule.steps[operand.slot - category.parameters.size()].symbol;
  if (!symbol.is_list && operand.named_by >= 0)
    fail_at(grammar, line, "only a word has columns to choose from with $.");
  if (operand.named_by >= 0) return;
  if (symbol.is_list)
    find_name(grammar, line, "column", operand.name, grammar.lists[symbol.index].columns);
  else
    check_has_text(grammar, line, grammar.categories[symbol.index], operand.name);
}

void check_rule(const GrammarRules& grammar, const Category& category, const Rule& rule) {
  const auto check_template = [&](int line, const Template& pieces) {
    for (const Piece& piece : pieces) {
      check_operand(grammar, category, rule, line, piece.operand);
      if (piece.table >= 0) check_operand(grammar, category, rule, line, piece.column);
    }
  };
  for (const Step& step : rule.steps) {
    for (const auto& [parameter, text] : step.arguments) check_template(step.line, text);
    for (const Template& choice : step.choices) check_template(step.line, choice);
    if (step.is_child && step.symbol.is_list && grammar.lists[step.symbol.index].words.empty())
      fail_at(grammar, step.line, "the list '", grammar.lists[step.symbol.index].name, "' has no words.");
  }
}

// The height of the lowest tree that the category can make.
int height(const Category& category) {
  int lowest = kEndless;
  for (const Rule& rule : category.rules) lowest = std::min(lowest, rule.height);
  return lowest;
}

// Lowers heights until nothing changes. A category that is still endless then can never be finished.
void set_heights(GrammarRules& grammar) {
  for (Category& category : grammar.categories)
    for (Rule& rule : category.rules) rule.height = kEndless;
  for (bool changed = true; changed;) {
    changed = false;
    for (Category& category : grammar.categories)
      for (Rule& rule : category.rules) {
        int highest = 0;
        for (const Step& step : rule.steps)
          if (step.is_child && !step.symbol.is_list)
            highest = std::max(highest, height(grammar.categories[step.symbol.index]));
        const int now = std::min(kEndless, highest + 1);
        changed |= now < rule.height;
        rule.height = std::min(rule.height, now);
      }
  }
  for (const Category& category : grammar.categories)
    if (height(category) == kEndless)
      fail_at(grammar, category.line, "no rule of '", category.name, "' ever comes to an end.");
}

}  // namespace

void check_rules(GrammarRules& grammar) {
  const int last_line = grammar.categories.empty() ? 1 : grammar.categories.back().line;
  grammar.start = find_name(grammar, last_line, "category", "Sentence", names_of(grammar.categories));
  const Category& start = grammar.categories[grammar.start];
  if (!start.parameters.empty()) fail_at(grammar, start.line, "'Sentence' cannot have parameters.");
  for (const std::string_view side : {"source", "target"}) check_has_text(grammar, start.line, start, side);

  for (const Category& category : grammar.categories)
    for (const Rule& rule : category.rules) check_rule(grammar, category, rule);
  set_heights(grammar);
}

}  // namespace dragoman::demo
