#include "dragoman/demo/grammar.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/hash.h"
#include "dragoman/demo/grammar_rules.h"

namespace dragoman::demo {

namespace {

// A rule may be used if the lowest tree that it can make ends within this depth. If there is no such rule among those
// that apply, the rules with the lowest trees are used.
constexpr int kFreeDepth = 12;
// Far above what useful sentences need. The limits stop grammars that would fill the memory.
constexpr int kMaxDepth = 100;
constexpr int kMaxConstituents = 1000;
constexpr std::size_t kMaxBytes = 4096, kMaxBytesWritten = std::size_t{1} << 20;

// A category that was built with one of its rules, or a word that was chosen from a list.
struct Constituent {
  const Rule* rule = nullptr;
  const WordList* list = nullptr;
  int word = 0;
  std::vector<std::string> texts;     // by slot: parameters and the texts that the rule writes
  std::vector<Constituent> children;  // by slot: the rule's children
};

// Builds a sentence as a tree of constituents, top down: chooses a rule for a category, then carries out its steps in
// order. Records the rules and words that it uses.
class Deriver {
 public:
  Deriver(const GrammarRules& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  Derivation derive() {
    const Constituent sentence = build(grammar_.categories[grammar_.start], {}, 0, 0);
    Derivation result;
    result.text.source = spell(grammar_, text_of(sentence, "source"), false);
    result.text.target = spell(grammar_, text_of(sentence, "target"), true);
    for (std::vector<int>* numbers : {&rules_, &words_}) {
      std::ranges::sort(*numbers);
      // Not std::ranges::unique, which clang 14 lacks.
      numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
    }
    result.rules = std::move(rules_);
    result.words = std::move(words_);
    return result;
  }

 private:
  Constituent build(const Category& category, std::vector<std::string> arguments, int depth, int line) {
    if (depth > kMaxDepth || ++constituents_ > kMaxConstituents)
      fail(category.line, "a sentence with this '", category.name, "' does not come to an end.");
    Constituent built;
    built.rule = &choose_rule(category, arguments, kFreeDepth - depth, line);
    rules_.push_back(built.rule->number);
    built.texts = std::move(arguments);
    built.texts.resize(built.rule->slots.size());
    built.children.resize(built.rule->slots.size());
    for (const Step& step : built.rule->steps) {
      if (step.is_child)
        built.children[step.slot] = make_child(built, step, depth);
      else
        built.texts[step.slot] =
            write(built, step.choices[random_.below(static_cast<std::uint32_t>(step.choices.size()))], step.line);
    }
    return built;
  }

  const Rule& choose_rule(const Category& category, const std::vector<std::string>& arguments, int depth_left,
                          int line) {
    const auto applies = [&](const Rule& rule) {
      return std::ranges::all_of(rule.conditions, [&](const auto& c) { return matches(arguments[c.first], c.second); });
    };
    std::vector<const Rule*> candidates;
    for (const Rule& rule : category.rules)
      if (applies(rule)) candidates.push_back(&rule);
    if (candidates.empty()) fail(line, "no rule of '", category.name, "' fits", given(category.parameters, arguments));
    const int lowest = (*std::ranges::min_element(candidates, {}, &Rule::height))->height;
    std::erase_if(candidates, [&](const Rule* rule) { return rule->height > std::max(depth_left, lowest); });

    double total = 0;
    for (const Rule* rule : candidates) total += rule->weight;
    double left = random_.uniform(0, total);
    for (const Rule* rule : candidates)
      if ((left -= rule->weight) < 0) return *rule;
    return *candidates.back();
  }

  Constituent make_child(const Constituent& parent, const Step& step, int depth) {
    const bool list = step.symbol.is_list;
    std::vector<std::string> values;  // of a list: in the order of the arguments; of a category: by parameter
    if (!list) values.resize(grammar_.categories[step.symbol.index].parameters.size());
    for (const auto& [parameter, text] : step.arguments) {
      std::string value = write(parent, text, step.line);
      if (list)
        values.push_back(std::move(value));
      else
        values[parameter] = std::move(value);
    }
    return list ? choose_word(grammar_.lists[step.symbol.index], step, values)
                : build(grammar_.categories[step.symbol.index], std::move(values), depth + 1, step.line);
  }

  Constituent choose_word(const WordList& list, const Step& step, const std::vector<std::string>& values) {
    std::vector<int> candidates;
    for (int word = 0; word < static_cast<int>(list.words.size()); ++word) {
      bool fits = true;
      for (std::size_t i = 0; i < values.size() && fits; ++i)
        fits = matches(list.words[word][step.arguments[i].first], values[i]);
      if (fits) candidates.push_back(word);
    }
    if (candidates.empty()) {
      std::vector<std::string> columns;
      for (const auto& argument : step.arguments) columns.push_back(list.columns[argument.first]);
      fail(step.line, "no word of '", list.name, "' fits", given(columns, values));
    }
    Constituent chosen;
    chosen.list = &list;
    chosen.word = candidates[random_.below(static_cast<std::uint32_t>(candidates.size()))];
    words_.push_back(list.first + chosen.word);
    return chosen;
  }

  static const std::string& text_of(const Constituent& of, std::string_view name) {
    return of.texts[index_of(name, of.rule->slots)];
  }

  std::string write(const Constituent& in, const Template& pieces, int line) {
    std::string text;
    for (const Piece& piece : pieces) {
      text += piece.table < 0 ? read(in, piece.operand, line)
                              : look_up(grammar_.tables[piece.table], read(in, piece.operand, line),
                                        read(in, piece.column, line), line);
      if (text.size() > kMaxBytes) fail(line, "this text is longer than ", kMaxBytes, " bytes.");
    }
    written_ += text.size();
    if (written_ > kMaxBytesWritten)
      fail(line, "the texts of this sentence fill more than ", kMaxBytesWritten, " bytes.");
    return text;
  }

  const std::string& read(const Constituent& in, const Operand& operand, int line) {
    if (operand.slot < 0) return operand.name;
    if (operand.name.empty()) return in.texts[operand.slot];
    const Constituent& child = in.children[operand.slot];
    if (child.rule != nullptr) return text_of(child, operand.name);
    const std::string& name = operand.named_by < 0 ? operand.name : in.texts[operand.named_by];
    const int column = index_of(name, child.list->columns);
    if (column < 0) fail(line, "'", child.list->name, "' has no column '", name, "'.");
    return child.list->words[child.word][column];
  }

  const std::string& look_up(const Table& table, const std::string& row, const std::string& column, int line) {
    const int place = index_of(column, table.columns);
    const auto cells = std::ranges::find(table.rows, row, [](const auto& r) { return r.first; });
    if (place < 0 || cells == table.rows.end())
      fail(line, "the table '", table.name, "' has no row '", row, "' with a column '", column, "'.");
    return cells->second[place];
  }

  static std::string given(const std::vector<std::string>& names, const std::vector<std::string>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += ' ' + names[i] + '=' + values[i];
    return text + '.';
  }

  template <class... Parts>
  [[noreturn]] void fail(int line, const Parts&... parts) const {
    throw UsageError(join(grammar_.file, ":", line, ": ", parts...));
  }

  const GrammarRules& grammar_;
  RandomStream& random_;
  std::vector<int> rules_, words_;
  int constituents_ = 0;
  std::size_t written_ = 0;
};

// Whether this pair of words is in the share kept for the test set. It depends on the grammar only, not on machine or
// seed. All cells are hashed, because two words of a list may look alike in one language.
bool in_share(const WordList& a, int i, const WordList& b, int j, double share) {
  Hash hash;
  for (const auto* cells : {&a.words[i], &b.words[j]})
    for (const std::string& cell : *cells) hash.add(cell).add("\n");
  return static_cast<double>(hash.value() >> 11) * 0x1p-53 < share;  // the hash as a number in [0, 1)
}

}  // namespace

Grammar::Grammar(std::string_view text, std::string_view name)
    : rules_(std::make_shared<const GrammarRules>(read_grammar(text, name))) {}

Derivation Grammar::derive(RandomStream& random) const { return Deriver(*rules_, random).derive(); }

bool Grammar::unseen(const Derivation& derivation) const {
  const auto has_rule = [&](int rule) { return std::ranges::binary_search(derivation.rules, rule); };
  const auto words_of = [&](const WordList& list) {
    std::vector<int> words;
    for (const int word : derivation.words)
      if (word >= list.first && word < list.first + static_cast<int>(list.words.size()))
        words.push_back(word - list.first);
    return words;
  };
  for (const UnseenPair& pair : rules_->unseen) {
    if (!pair.lists) {
      if (has_rule(pair.a) && has_rule(pair.b)) return true;
      continue;
    }
    const WordList &a = rules_->lists[pair.a], &b = rules_->lists[pair.b];
    for (const int i : words_of(a))
      for (const int j : words_of(b))
        if (in_share(a, i, b, j, pair.share)) return true;
  }
  return false;
}

int Grammar::rule_count() const { return static_cast<int>(rules_->rule_names.size()); }
int Grammar::word_count() const { return static_cast<int>(rules_->word_names.size()); }
const std::string& Grammar::rule_name(int rule) const { return rules_->rule_names.at(rule); }
const std::string& Grammar::word_name(int word) const { return rules_->word_names.at(word); }

}  // namespace dragoman::demo
