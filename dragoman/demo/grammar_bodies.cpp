#include <algorithm>

#include "dragoman/demo/grammar_parsing.h"

namespace dragoman::demo {

namespace {

constexpr std::size_t kMaxSlots = 200;
constexpr std::string_view kMarkLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Reads the lines of one rule. A line may refer only to lines above it, so that a rule is carried out from top to
// bottom.
class BodyReader {
 public:
  BodyReader(const GrammarRules& grammar, const Category& category, Rule& rule)
      : grammar_(grammar), rule_(rule), parameters_(category.parameters.size()) {}

  void read(const SourceLine& source) {
    line_ = source.number;
    const std::vector<std::string> words = split_words(source.text);
    if (rule_.slots.size() >= kMaxSlots) fail("a rule may have at most ", kMaxSlots, " parameters and lines.");
    if (words[0].find_first_of("={}.'$|") != std::string::npos) fail("'", words[0], "' cannot be a name.");
    Step step;
    step.line = line_;
    step.slot = static_cast<int>(rule_.slots.size());
    const std::string sign = words.size() >= 2 ? words[1] : "";
    if ((sign == "=" || sign == ":") && index_of(words[0], rule_.slots) >= 0)
      fail("'", words[0], "' is defined twice.");
    if (sign == "=")
      read_choices(step, std::string_view(source.text).substr(source.text.find('=') + 1));
    else if (sign == ":" && words.size() >= 3)
      read_child(step, words);
    else
      fail("expected 'NAME = TEXT' or 'NAME : CATEGORY ...'.");
    rule_.slots.push_back(words[0]);
    rule_.steps.push_back(std::move(step));
  }

  // To be called after the last line.
  void check_labels() {
    for (std::size_t label = 0; label < label_uses_.size(); ++label) {
      line_ = label_uses_[label].first;
      if (label_uses_[label].second == 1)
        fail("the mark ^", rule_.labels[label], " is used only once in this rule, so it links nothing.");
    }
  }

 private:
  // TEXT | TEXT | ...
  void read_choices(Step& step, std::string_view text) {
    while (true) {
      const std::size_t bar = text.find('|');
      step.choices.push_back(read_template(trimmed(text.substr(0, bar))));
      if (bar == std::string_view::npos) return;
      text.remove_prefix(bar + 1);
    }
  }

  // NAME : SYMBOL PARAMETER=TEXT ...
  void read_child(Step& step, const std::vector<std::string>& words) {
    step.is_child = true;
    const std::vector<std::string> lists = names_of(grammar_.lists), categories = names_of(grammar_.categories);
    step.symbol.is_list = index_of(words[2], lists) >= 0;
    step.symbol.index =
        step.symbol.is_list ? index_of(words[2], lists) : find_name(grammar_, line_, "category", words[2], categories);
    const std::vector<std::string>& parameters = step.symbol.is_list
                                                     ? grammar_.lists[step.symbol.index].columns
                                                     : grammar_.categories[step.symbol.index].parameters;
    std::vector<bool> given(parameters.size());
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) fail("expected PARAMETER=TEXT, not '", words[i], "'.");
      const std::string_view what = step.symbol.is_list ? "column" : "parameter";
      const int parameter = find_name(grammar_, line_, what, words[i].substr(0, equals), parameters);
      if (given[parameter]) fail("'", parameters[parameter], "' is given twice.");
      given[parameter] = true;
      step.arguments.emplace_back(parameter, read_template(std::string_view(words[i]).substr(equals + 1)));
    }
    const auto missing = std::ranges::find(given, false);
    if (!step.symbol.is_list && missing != given.end())
      fail("'", words[2], "' needs '", parameters[missing - given.begin()], "='.");
  }

  // Constants, with operands in { }. A word of a constant and an operand may have a mark: word^NAME, {operand}^NAME.
  Template read_template(std::string_view text) {
    Template pieces;
    while (!text.empty()) {
      const std::size_t brace = std::min(text.find('{'), text.size());
      if (brace > 0) read_constant(text.substr(0, brace), pieces);
      text.remove_prefix(brace);
      if (text.empty()) break;
      const std::size_t end = text.find('}');
      if (end == std::string_view::npos) fail("there is a { without its }.");
      pieces.push_back(read_braces(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
    }
    return pieces;
  }

  // A constant, cut at its marks. If it begins with one, that is the mark of the operand before it.
  void read_constant(std::string_view text, Template& pieces) {
    if (text.find('}') != std::string_view::npos) fail("there is a } without its {.");
    while (!text.empty()) {
      const std::size_t mark = std::min(text.find('^'), text.size());
      const std::string_view before = text.substr(0, mark);
      if (mark == text.size()) return add_constant(before, pieces);
      const std::size_t space = before.find_last_of(" _");
      const std::size_t word = space == std::string_view::npos ? 0 : space + 1;  // where the marked word begins
      add_constant(before.substr(0, word), pieces);
      add_constant(before.substr(word), pieces);
      text.remove_prefix(mark + 1);
      const std::size_t end = std::min(text.find_first_not_of(kMarkLetters), text.size());
      if (end == 0 || pieces.empty() || (before.size() == word && !before.empty()))
        fail("a mark is written as word^NAME or {NAME}^NAME, without a space.");
      set_mark(pieces.back(), text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  static void add_constant(std::string_view text, Template& pieces) {
    if (text.empty()) return;
    std::string constant(text);
    std::ranges::replace(constant, '_', ' ');
    Piece piece;
    piece.operand.name = std::move(constant);
    pieces.push_back(std::move(piece));
  }

  void set_mark(Piece& piece, std::string_view name) {
    const int slot = index_of(name, rule_.slots);
    if (slot >= 0) {
      if (is_child(slot)) fail("'^", name, "' is the name of a child; a mark is that of a text, or a new name.");
      piece.mark_slot = slot;
      return;
    }
    piece.mark_label = index_of(name, rule_.labels);
    if (piece.mark_label < 0) {
      piece.mark_label = static_cast<int>(rule_.labels.size());
      rule_.labels.emplace_back(name);
      label_uses_.emplace_back(line_, 0);
    }
    ++label_uses_[piece.mark_label].second;
  }

  // OPERAND, or TABLE ROW COLUMN.
  Piece read_braces(std::string_view text) {
    const std::vector<std::string> words = split_words(text);
    Piece piece;
    if (words.size() == 1) {
      piece.operand = read_operand(words[0]);
    } else if (words.size() == 3) {
      piece.table = find_name(grammar_, line_, "table", words[0], names_of(grammar_.tables));
      piece.operand = read_operand(words[1]);
      piece.column = read_operand(words[2]);
    } else {
      fail("expected {NAME} or {TABLE ROW COLUMN}, not {", text, "}.");
    }
    return piece;
  }

  // 'constant', NAME, CHILD.NAME, or CHILD.$NAME: the child's text whose name is the value of the text NAME.
  Operand read_operand(std::string_view word) {
    if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'')
      return {-1, std::string(word.substr(1, word.size() - 2)), -1};
    const std::size_t dot = std::min(word.find('.'), word.size());
    Operand operand;
    operand.slot = find_name(grammar_, line_, "text or child", word.substr(0, dot), rule_.slots);
    if (is_child(operand.slot) != (dot < word.size()))
      fail("'", word, "': a text is read as {NAME}, a child's text as {CHILD.NAME}.");
    if (dot == word.size()) return operand;
    operand.name = std::string(word.substr(dot + 1));
    if (operand.name.empty()) fail("'", word, "' does not name a text.");
    if (operand.name.starts_with('$')) {
      operand.named_by = find_name(grammar_, line_, "text", operand.name.substr(1), rule_.slots);
      if (is_child(operand.named_by)) fail("'", word, "': what follows the $ must be a text, not a child.");
    }
    return operand;
  }

  bool is_child(int slot) const {
    const int step = slot - static_cast<int>(parameters_);
    return step >= 0 && rule_.steps[step].is_child;
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    fail_at(grammar_, line_, parts...);
  }

  const GrammarRules& grammar_;
  Rule& rule_;
  std::size_t parameters_;
  std::vector<std::pair<int, int>> label_uses_;  // for each label of the rule: its first line, and how often it is used
  int line_ = 0;
};

// refers RULE MARK MARK MARK
void read_reference(GrammarRules& grammar, const SourceLine& line) {
  const std::vector<std::string> words = split_words(line.text);
  if (words.size() != 5) fail_at(grammar, line.number, "expected 'refers RULE MARK MARK MARK'.");
  const int number = find_name(grammar, line.number, "rule", words[1], grammar.rule_names);
  for (Category& category : grammar.categories) {
    for (Rule& rule : category.rules) {
      if (rule.number != number) continue;
      const auto mark = [&](const std::string& name) {
        const int slot = index_of(name, rule.slots), label = index_of(name, rule.labels);
        if (slot < 0 && label < 0) fail_at(grammar, line.number, "the rule '", rule.name, "' has no mark ^", name, ".");
        return Mark{slot, label};
      };
      rule.reference = {mark(words[2]), mark(words[3]), mark(words[4])};
    }
  }
}

}  // namespace

void read_references(GrammarRules& grammar, const std::vector<SourceLine>& lines) {
  for (const SourceLine& line : lines) read_reference(grammar, line);
}

void read_bodies(GrammarRules& grammar, const RuleBodies& bodies) {
  for (std::size_t c = 0; c < bodies.size(); ++c)
    for (std::size_t r = 0; r < bodies[c].size(); ++r) {
      BodyReader reader(grammar, grammar.categories[c], grammar.categories[c].rules[r]);
      for (const SourceLine& line : bodies[c][r]) reader.read(line);
      reader.check_labels();
    }
}

}  // namespace dragoman::demo
