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

std::vector<std::string> texts_of(const Rule& rule) {
  std::vector<std::string> texts;
  for (const Step& step : rule.steps)
    if (!step.is_child) texts.push_back(rule.slots[step.slot]);
  return texts;
}

// `line` reads the text, for the reason given. If no rule of the category writes it, that line is wrong; if only some
// do, the others are.
void check_has_text(const GrammarRules& grammar, int line, const Category& category, std::string_view name,
                    const std::string& reason) {
  const bool some_write = std::ranges::any_of(category.rules, [&](const Rule& rule) { return writes(rule, name); });
  for (const Rule& rule : category.rules) {
    if (writes(rule, name)) continue;
    const std::string advice = suggestion(name, texts_of(rule));
    if (some_write)
      fail_at(grammar, rule.line, "the rule '", rule.name, "' of '", category.name, "' writes no text '", name, "', ",
              reason, ".", advice);
    fail_at(grammar, line, "no rule of '", category.name, "' (line ", category.line, ") writes a text '", name, "'.",
            advice);
  }
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
    check_has_text(grammar, line, grammar.categories[symbol.index], operand.name, join("which line ", line, " reads"));
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

// A category that is endless because of itself: one that each of its rules leads back to. The given one may only use
// it.
const Category& endless_itself(const GrammarRules& grammar, const Category& category) {
  std::vector<const Category*> path{&category};
  for (;;) {
    const Category* next = nullptr;
    for (const Rule& rule : path.back()->rules)
      for (const Step& step : rule.steps)
        if (next == nullptr && step.is_child && !step.symbol.is_list &&
            height(grammar.categories[step.symbol.index]) == kEndless)
          next = &grammar.categories[step.symbol.index];
    if (next == nullptr || std::ranges::find(path, next) != path.end()) return next == nullptr ? *path.back() : *next;
    path.push_back(next);
  }
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
  for (const Category& category : grammar.categories) {
    if (height(category) != kEndless) continue;
    const Category& wrong = endless_itself(grammar, category);
    fail_at(grammar, wrong.line, "no rule of '", wrong.name, "' ever comes to an end.");
  }
}

// The line of the category that is meant to be called Sentence.
int line_of_start(const GrammarRules& grammar) {
  const auto near = nearest("Sentence", names_of(grammar.categories));
  const auto found = std::ranges::find(grammar.categories, near.value_or(""), &Category::name);
  return found == grammar.categories.end() ? 1 : found->line;
}

}  // namespace

void check_rules(GrammarRules& grammar) {
  grammar.start = find_name(grammar, line_of_start(grammar), "category", "Sentence", names_of(grammar.categories));
  const Category& start = grammar.categories[grammar.start];
  if (!start.parameters.empty()) fail_at(grammar, start.line, "'Sentence' cannot have parameters.");
  for (const std::string_view side : {"source", "target"})
    check_has_text(grammar, start.line, start, side, "which a pair of sentences needs");

  for (const Category& category : grammar.categories)
    for (const Rule& rule : category.rules) check_rule(grammar, category, rule);
  set_heights(grammar);
}

}  // namespace dragoman::demo
