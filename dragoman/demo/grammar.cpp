#include "dragoman/demo/grammar.h"

#include <algorithm>

#include "dragoman/base/error.h"
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
  std::int32_t origin = 0;           // of what it writes, unless that is marked
  std::int32_t first_label = 0;      // the origin of the rule's first label; the others follow
  std::vector<TracedText> texts;     // by slot: parameters and the texts that the rule writes
  std::vector<std::int32_t> values;  // by slot: an origin for the value of each text; a text that is passed on keeps it
  std::vector<int> lines;            // by slot: the line of the file that wrote the text, also if it is passed on
  std::vector<Constituent> children;  // by slot: the rule's children
};

// The origins of the words of a Reference, and the line of the rule that wrote the pronoun.
struct ReferenceOrigins {
  int line = 0;
  std::int32_t pronoun = 0, meant = 0, other = 0;
};

// Builds a sentence as a tree of constituents, top down: chooses a rule for a category, then carries out its steps in
// order. Records the rules and words that it uses.
class Deriver {
 public:
  Deriver(const GrammarRules& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  Derivation derive() {
    const Constituent sentence = build(grammar_.categories[grammar_.start], {}, 0, 0);
    Derivation result;
    const TracedText source = spell(grammar_, text_of(sentence, "source"), false);
    const TracedText target = spell(grammar_, text_of(sentence, "target"), true);
    result.links = links_of(source, target);
    if (reference_) result.reference = find_reference(source, target);
    result.text = {source.text, target.text};
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
  // A text that is given to a child, the origin of its value, and the line that wrote it.
  struct Argument {
    TracedText text;
    std::int32_t value = 0;
    int line = 0;
  };

  Constituent build(const Category& category, std::vector<Argument> arguments, int depth, int line) {
    if (depth > kMaxDepth || ++constituents_ > kMaxConstituents)
      fail(category.line, "a sentence with this '", category.name, "' does not come to an end.");
    Constituent built;
    built.rule = &choose_rule(category, arguments, kFreeDepth - depth, line);
    rules_.push_back(built.rule->number);
    built.origin = next_origin_++;
    built.first_label = next_origin_;
    next_origin_ += static_cast<std::int32_t>(built.rule->labels.size());
    for (Argument& argument : arguments) {
      built.texts.push_back(std::move(argument.text));
      built.values.push_back(argument.value);
      built.lines.push_back(argument.line);
    }
    built.texts.resize(built.rule->slots.size());
    built.values.resize(built.rule->slots.size());
    built.lines.resize(built.rule->slots.size());
    built.children.resize(built.rule->slots.size());
    for (const Step& step : built.rule->steps) {
      if (step.is_child) {
        built.children[step.slot] = make_child(built, step, depth);
        continue;
      }
      built.values[step.slot] = next_origin_++;
      built.lines[step.slot] = step.line;
      built.texts[step.slot] =
          write(built, step.choices[random_.below(static_cast<std::uint32_t>(step.choices.size()))], step.line);
    }
    if (built.rule->reference) {
      const auto origin = [&](const Mark& mark) {
        return mark.slot >= 0 ? built.values[mark.slot] : built.first_label + mark.label;
      };
      const RuleReference& marks = *built.rule->reference;
      reference_ = {built.rule->line, origin(marks.pronoun), origin(marks.meant), origin(marks.other)};
    }
    return built;
  }

  Reference find_reference(const TracedText& source, const TracedText& target) const {
    const Reference found{.pronoun = word_from(source, reference_->pronoun),
                          .meant = word_from(source, reference_->meant),
                          .other = word_from(source, reference_->other),
                          .translation = word_from(target, reference_->pronoun)};
    if (std::min({found.pronoun, found.meant, found.other, found.translation}) < 0)
      fail(reference_->line, "a sentence with this rule lacks a word with a mark that its 'refers' line names.");
    return found;
  }

  const Rule& choose_rule(const Category& category, const std::vector<Argument>& arguments, int depth_left, int line) {
    const auto applies = [&](const Rule& rule) {
      return std::ranges::all_of(rule.conditions,
                                 [&](const auto& c) { return matches(arguments[c.first].text.text, c.second); });
    };
    std::vector<const Rule*> candidates;
    for (const Rule& rule : category.rules)
      if (applies(rule)) candidates.push_back(&rule);
    if (candidates.empty()) {
      std::string values;
      for (std::size_t i = 0; i < arguments.size(); ++i)
        values += given(category.parameters[i], arguments[i].text.text, arguments[i].line, line);
      fail(line, "no rule of '", category.name, "' fits", values, ".");
    }
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
    if (step.symbol.is_list) {
      std::vector<std::string> values;  // in the order of the arguments
      for (const auto& argument : step.arguments) values.push_back(write(parent, argument.second, step.line).text);
      return choose_word(parent, grammar_.lists[step.symbol.index], step, values);
    }
    const Category& category = grammar_.categories[step.symbol.index];
    std::vector<Argument> arguments(category.parameters.size());
    for (const auto& [parameter, text] : step.arguments) {
      arguments[parameter] = {write(parent, text, step.line), value_of(parent, text), line_of(parent, text, step)};
    }
    return build(category, std::move(arguments), depth + 1, step.line);
  }

  // Whether a text or parameter is passed on unchanged.
  static bool is_passed_on(const Template& pieces) {
    return pieces.size() == 1 && pieces[0].table < 0 && is_own_text(pieces[0].operand);
  }
  static bool is_own_text(const Operand& operand) { return operand.slot >= 0 && operand.name.empty(); }

  // The origin of a value that is passed on unchanged is that of the text; any other value is new.
  std::int32_t value_of(const Constituent& parent, const Template& pieces) {
    return is_passed_on(pieces) ? parent.values[pieces[0].operand.slot] : next_origin_++;
  }
  static int line_of(const Constituent& parent, const Template& pieces, const Step& step) {
    return is_passed_on(pieces) ? parent.lines[pieces[0].operand.slot] : step.line;
  }

  Constituent choose_word(const Constituent& parent, const WordList& list, const Step& step,
                          const std::vector<std::string>& values) {
    std::vector<int> candidates;
    for (int word = 0; word < static_cast<int>(list.words.size()); ++word) {
      bool fits = true;
      for (std::size_t i = 0; i < values.size() && fits; ++i)
        fits = matches(list.words[word][step.arguments[i].first], values[i]);
      if (fits) candidates.push_back(word);
    }
    if (candidates.empty()) {
      std::string given_values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto& [column, text] = step.arguments[i];
        given_values += given(list.columns[column], values[i], line_of(parent, text, step), step.line);
      }
      fail(step.line, "no word of '", list.name, "' fits", given_values, ".");
    }
    Constituent chosen;
    chosen.list = &list;
    chosen.origin = next_origin_++;
    chosen.word = candidates[random_.below(static_cast<std::uint32_t>(candidates.size()))];
    words_.push_back(list.first + chosen.word);
    return chosen;
  }

  static const TracedText& text_of(const Constituent& of, std::string_view name) {
    return of.texts[index_of(name, of.rule->slots)];
  }

  TracedText write(const Constituent& in, const Template& pieces, int line) {
    TracedText text;
    for (const Piece& piece : pieces) {
      const Part part = piece.table < 0 ? read(in, piece.operand, line) : Part{look_up(in, piece, line), in.origin};
      if (piece.mark_slot >= 0 || piece.mark_label >= 0)
        text.append(part.text, piece.mark_slot >= 0 ? in.values[piece.mark_slot] : in.first_label + piece.mark_label);
      else if (part.traced != nullptr)
        text.append(*part.traced);
      else
        text.append(part.text, part.origin);
      if (text.text.size() > kMaxBytes) fail(line, "this text is longer than ", kMaxBytes, " bytes.");
    }
    written_ += text.text.size();
    if (written_ > kMaxBytesWritten)
      fail(line, "the texts of this sentence fill more than ", kMaxBytesWritten, " bytes.");
    return text;
  }

  // A text that belongs to the grammar or to a constituent.
  struct Part {
    std::string_view text;
    std::int32_t origin = 0;             // of all its bytes, unless there is a traced text
    const TracedText* traced = nullptr;  // the same text with the origin of each byte
  };

  Part read(const Constituent& in, const Operand& operand, int line) {
    const auto part = [](const TracedText& text) { return Part{text.text, 0, &text}; };
    if (operand.slot < 0) return {operand.name, in.origin};
    if (operand.name.empty()) return part(in.texts[operand.slot]);
    const Constituent& child = in.children[operand.slot];
    if (child.rule != nullptr) return part(text_of(child, operand.name));
    const std::string& name = operand.named_by < 0 ? operand.name : in.texts[operand.named_by].text;
    const int column = index_of(name, child.list->columns);
    if (column < 0) fail(line, "'", child.list->name, "' has no column '", name, "'.");
    return {child.list->words[child.word][column], child.origin};
  }

  const std::string& look_up(const Constituent& in, const Piece& piece, int line) {
    const Table& table = grammar_.tables[piece.table];
    const std::string_view row = read(in, piece.operand, line).text, column = read(in, piece.column, line).text;
    const int place = index_of(column, table.columns);
    const auto cells = std::ranges::find(table.rows, row, [](const auto& r) -> std::string_view { return r.first; });
    if (place >= 0 && cells != table.rows.end()) return cells->second[place];
    // The line that wrote the wrong name may be far from the one that looks it up.
    const Operand& wrong = cells == table.rows.end() ? piece.operand : piece.column;
    const int wrote = is_own_text(wrong) ? in.lines[wrong.slot] : line;
    fail(wrote, "the table '", table.name, "' has no row '", row, "' with a column '", column, "'",
         wrote == line ? "." : join(", which line ", line, " looks up."));
  }

  // " case=acc", with the line that wrote the value if it is not the one that the message is about.
  static std::string given(const std::string& name, const std::string& value, int wrote, int line) {
    return join(" ", name, "=", value, wrote == line ? "" : join(" (from line ", wrote, ")"));
  }

  template <class... Parts>
  [[noreturn]] void fail(int line, const Parts&... parts) const {
    throw UsageError(join(grammar_.file, ":", line, ": ", parts...));
  }

  const GrammarRules& grammar_;
  RandomStream& random_;
  std::vector<int> rules_, words_;
  std::optional<ReferenceOrigins> reference_;
  int constituents_ = 0;
  std::int32_t next_origin_ = 0;
  std::size_t written_ = 0;
};

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
  for (const UnseenRules& pair : rules_->unseen_rules)
    if (has_rule(pair.a) && has_rule(pair.b)) return true;
  for (const UnseenWords& unseen : rules_->unseen_words)
    for (const int i : words_of(rules_->lists[unseen.a]))
      for (const int j : words_of(rules_->lists[unseen.b]))
        if (unseen.pairs.contains({i, j})) return true;
  return false;
}

const Languages& Grammar::languages() const { return rules_->languages; }
int Grammar::rule_count() const { return static_cast<int>(rules_->rule_names.size()); }
int Grammar::word_count() const { return static_cast<int>(rules_->word_names.size()); }
const std::string& Grammar::rule_name(int rule) const { return rules_->rule_names.at(rule); }
const std::string& Grammar::word_name(int word) const { return rules_->word_names.at(word); }

}  // namespace dragoman::demo
