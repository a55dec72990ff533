// The steps of reading a grammar, in order. Only grammar_reader.cpp and the files that implement the steps include
// this.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/demo/grammar_rules.h"

namespace dragoman::demo {

// A line without its comment, and its number.
struct SourceLine {
  int number = 0;
  std::string text;
};

// The lines of each rule: bodies[category][rule], in the order of GrammarRules::categories and their rules.
using RuleBodies = std::vector<std::vector<std::vector<SourceLine>>>;

template <class... Parts>
[[noreturn]] void fail_at(const GrammarRules& grammar, int line, const Parts&... parts) {
  throw UsageError(join(grammar.file, ":", line, ": ", parts...));
}

// Splits at white space, but not inside { }.
std::vector<std::string> split_words(std::string_view text);

// The index of `name` in `names`. If it is missing, throws a UsageError: "there is no <what> '<name>'".
int find_name(const GrammarRules& grammar, int line, std::string_view what, std::string_view name,
              const std::vector<std::string>& names);

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& things) {
  std::vector<std::string> names;
  for (const Named& thing : things) names.push_back(thing.name);
  return names;
}

// Step 2: turns the lines of every rule into slots and steps.
void read_bodies(GrammarRules& grammar, const RuleBodies& bodies);

// Step 3: reads the `refers` lines, which name marks of the rules.
void read_references(GrammarRules& grammar, const std::vector<SourceLine>& lines);

// Step 4: checks that every text that a rule reads from its children exists, and that every rule can end. Sets the
// heights and the start.
void check_rules(GrammarRules& grammar);

}  // namespace dragoman::demo
