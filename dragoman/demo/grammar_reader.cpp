#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dragoman/base/hash.h"
#include "dragoman/base/random.h"
#include "dragoman/demo/grammar_parsing.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::demo {

namespace {

constexpr std::size_t kLongestLine = 4096;

// Cells and patterns cannot contain spaces; they write _ instead.
std::string with_spaces(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

// Step 1: reads the file's blocks. The lines of rules are kept for step 2, when all names are known.
class BlockReader {
 public:
  explicit BlockReader(std::string_view file) { grammar.file = std::string(file); }

  void read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte-order mark
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    read_whole_line(pending_);
    for (const SourceLine& line : unseen_lines_) read_unseen(line);
  }

  GrammarRules grammar;
  RuleBodies bodies;
  std::vector<SourceLine> references;  // the `refers` lines

 private:
  enum class Block : std::uint8_t { kNone, kWords, kTable, kCategory };

  void read_line(std::string_view text) {
    ++line_;
    // A # inside a word does not begin a comment.
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1))
      if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') text = text.substr(0, at);
    check(pending_.size() + text.size() <= kLongestLine, "this line is longer than ", kLongestLine, " bytes.");
    pending_ += text;
    const std::size_t end = pending_.find_last_not_of(" \t\r");
    if (end != std::string::npos && pending_[end] == '\\') {
      pending_[end] = ' ';
      return;
    }
    read_whole_line(std::exchange(pending_, {}));
  }

  void read_whole_line(const std::string& text) {
    const std::vector<std::string> words = split_words(text);
    if (words.empty()) return;
    if (text[0] != ' ' && text[0] != '\t')
      open_block(words);
    else if (block_ == Block::kWords)
      add_word(words);
    else if (block_ == Block::kTable)
      add_row(words);
    else if (block_ == Block::kCategory && words[0] == "rule")
      add_rule(words);
    else if (block_ == Block::kCategory && !bodies.back().empty())
      bodies.back().back().push_back({line_, text});
    else
      fail("'", words[0],
           "' is indented, but there is no list of words, table or rule above it that it could belong to.");
  }

  void open_block(const std::vector<std::string>& words) {
    const std::string& kind = words[0];
    block_ = Block::kNone;
    if (kind == "respell") {
      check(words.size() == 4 && (words[1] == "source" || words[1] == "target"),
            "expected 'respell source FROM TO' or 'respell target FROM TO'.");
      grammar.respellings.push_back({words[1] == "target", with_spaces(words[2]), with_spaces(words[3])});
      return;
    }
    if (kind == "languages") {
      check(words.size() == 3 && text::is_language_tag(words[1]) && text::is_language_tag(words[2]),
            "expected 'languages SOURCE TARGET' with tags of languages, such as 'languages en de'.");
      grammar.languages = {text::canonical_tag(words[1]), text::canonical_tag(words[2])};
      check(grammar.languages.source != grammar.languages.target, "source and target are both '", words[1],
            "', but their files need different names; add a subtag to one, as in 'languages en en-x-plain'.");
      return;
    }
    if (kind == "unseen" || kind == "refers") {
      std::vector<SourceLine>& lines = kind == "unseen" ? unseen_lines_ : references;
      lines.push_back({line_, std::string()});
      for (const std::string& word : words) lines.back().text += word + ' ';
      return;
    }
    check(kind == "words" || kind == "table" || kind == "category",
          "expected languages, words, table, category, respell, unseen or refers, not '", kind, "'.");
    check(words.size() == 2 || (words.size() > 2 && words[2] == ":"), "expected '", kind, " NAME : ...'.");
    const std::string& name = words[1];
    const std::vector<std::string> columns(words.begin() + std::min<std::size_t>(3, words.size()), words.end());
    check_distinct(columns);
    check(kind == "category" || !columns.empty(), kind, " '", name, "' has no columns.");
    if (kind == "table") {
      check(index_of(name, names_of(grammar.tables)) < 0, "the table '", name, "' is defined twice.");
      grammar.tables.push_back({name, columns, {}});
      block_ = Block::kTable;
      return;
    }
    check(index_of(name, names_of(grammar.lists)) < 0 && index_of(name, names_of(grammar.categories)) < 0, "the name '",
          name, "' is already in use.");
    if (kind == "words") {
      grammar.lists.push_back({name, columns, {}, static_cast<int>(grammar.word_names.size())});
      block_ = Block::kWords;
    } else {
      grammar.categories.push_back({name, line_, columns, {}});
      bodies.emplace_back();
      block_ = Block::kCategory;
    }
  }

  // The cells of a line. `|` is ignored; ~ repeats the cell before it, and - is an empty cell.
  std::vector<std::string> cells(std::span<const std::string> words, std::size_t count, std::string_view what) {
    std::vector<std::string> all;
    for (const std::string& word : words) {
      if (word == "|") continue;
      check(word != "~" || !all.empty(), "~ repeats the cell before it, but there is none.");
      all.push_back(word == "~" ? all.back() : word == "-" ? std::string() : with_spaces(word));
    }
    check(all.size() == count, what, " has ", all.size(), " cells for ", count, " columns.");
    return all;
  }

  void add_word(const std::vector<std::string>& words) {
    WordList& list = grammar.lists.back();
    // Words are numbered in the order of the file, so those of one list are consecutive.
    list.words.push_back(cells(words, list.columns.size(), join("the word '", words[0], "'")));
    grammar.word_names.push_back(list.words.back()[0]);
  }

  void add_row(const std::vector<std::string>& words) {
    Table& table = grammar.tables.back();
    for (const auto& row : table.rows) check(row.first != words[0], "the row '", words[0], "' is defined twice.");
    const std::string what = join("the row '", words[0], "'");
    table.rows.emplace_back(words[0], cells(std::span(words).subspan(1), table.columns.size(), what));
  }

  // rule NAME WEIGHT [when PARAMETER=TEXT ...]
  void add_rule(const std::vector<std::string>& words) {
    Category& category = grammar.categories.back();
    const auto weight = words.size() > 2 ? parse_number<double>(words[2]) : std::nullopt;
    check(weight.has_value() && (words.size() == 3 || (words.size() > 4 && words[3] == "when")),
          "expected 'rule NAME WEIGHT' and perhaps 'when PARAMETER=TEXT ...'.");
    check(std::isfinite(*weight) && *weight > 0 && *weight <= 1e6,
          "a rule's weight must be above 0 and at most 1000000.");
    check(index_of(words[1], grammar.rule_names) < 0, "the rule '", words[1], "' is defined twice.");

    Rule rule;
    rule.name = words[1];
    rule.line = line_;
    rule.number = static_cast<int>(grammar.rule_names.size());
    rule.weight = *weight;
    rule.slots = category.parameters;
    for (std::size_t i = 4; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      check(equals != std::string::npos, "expected PARAMETER=TEXT, not '", words[i], "'.");
      const int slot = find_name(grammar, line_, "parameter", words[i].substr(0, equals), category.parameters);
      rule.conditions.emplace_back(slot, with_spaces(words[i].substr(equals + 1)));
    }
    grammar.rule_names.push_back(rule.name);
    category.rules.push_back(std::move(rule));
    bodies.back().emplace_back();
  }

  // unseen RULE RULE, or unseen LIST COLUMN=TEXT ... LIST COLUMN=TEXT ... SHARE%. Read last, because it may stand
  // before the names that it uses.
  void read_unseen(const SourceLine& line) {
    line_ = line.number;
    const std::vector<std::string> words = split_words(line.text);
    constexpr const char* kForms = "expected 'unseen RULE RULE' or 'unseen LIST LIST SHARE%'.";
    check(words.size() >= 3, kForms);
    if (words.size() == 3) {
      const auto& names = grammar.rule_names;
      grammar.unseen_rules.push_back(
          {find_name(grammar, line_, "rule", words[1], names), find_name(grammar, line_, "rule", words[2], names)});
      return;
    }
    std::size_t at = 1;
    const Some a = read_some(words, at);
    check(at + 1 < words.size(), kForms);
    const Some b = read_some(words, at);
    check(at + 1 == words.size(), kForms);
    const std::string& share = words[at];
    const auto percent = share.ends_with('%') ? parse_number<double>(share.substr(0, share.size() - 1)) : std::nullopt;
    check(percent.has_value() && *percent > 0 && *percent <= 50, "a share must be above 0% and at most 50%, not '",
          share, "'.");
    grammar.unseen_words.push_back({a.list, b.list, share_of_pairs(a, b, *percent / 100)});
  }

  // Words of a list.
  struct Some {
    int list = 0;
    std::vector<int> words;
  };

  // LIST COLUMN=TEXT ...: the words that fit; moves `at` behind it.
  Some read_some(const std::vector<std::string>& words, std::size_t& at) {
    Some some{find_name(grammar, line_, "list of words", words[at++], names_of(grammar.lists)), {}};
    const WordList& list = grammar.lists[some.list];
    for (int word = 0; word < static_cast<int>(list.words.size()); ++word) some.words.push_back(word);
    for (; at < words.size() && words[at].find('=') != std::string::npos; ++at) {
      const std::size_t equals = words[at].find('=');
      const int column = find_name(grammar, line_, "column", words[at].substr(0, equals), list.columns);
      const std::string value = with_spaces(words[at].substr(equals + 1));
      std::erase_if(some.words, [&](int word) { return !matches(list.words[word][column], value); });
    }
    return some;
  }

  // Picks the share for each word of b, so that every one of them is kept apart from as many words of a. Which these
  // are depends on the grammar only, not on machine or seed.
  std::set<std::pair<int, int>> share_of_pairs(const Some& a, const Some& b, double share) {
    std::set<std::pair<int, int>> pairs;
    double due = 0;  // the number of pairs so far, before rounding
    for (const int j : b.words) {
      std::vector<std::pair<double, int>> ranked;
      for (const int i : a.words) ranked.emplace_back(rank_of(grammar.lists[a.list], i, grammar.lists[b.list], j), i);
      std::ranges::sort(ranked);
      due += share * static_cast<double>(ranked.size());
      for (std::size_t k = 0; k < ranked.size() && static_cast<double>(pairs.size()) + 0.5 <= due; ++k) {
        pairs.emplace(ranked[k].second, j);
      }
    }
    return pairs;
  }

  // A number for a pair of words. All cells are hashed, because two words of a list may look alike in one language.
  static double rank_of(const WordList& a, int i, const WordList& b, int j) {
    Hash hash;
    for (const auto* cells : {&a.words[i], &b.words[j]})
      for (const std::string& cell : *cells) hash.add(cell).add("\n");
    return RandomStream(hash.value()).uniform();  // the hash alone orders all words of a in nearly the same way
  }

  void check_distinct(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      check(index_of(names[i], names) == static_cast<int>(i), "'", names[i], "' occurs twice.");
  }

  template <class... Parts>
  void check(bool condition, const Parts&... parts) {
    if (!condition) fail(parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) {
    fail_at(grammar, line_, parts...);
  }

  int line_ = 0;
  std::string pending_;  // joined lines that ended in a backslash
  Block block_ = Block::kNone;
  std::vector<SourceLine> unseen_lines_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  int braces = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\r';
    if (space && braces == 0) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
    braces = std::max(0, braces + (c == '{') - (c == '}'));
  }
  return words;
}

int index_of(std::string_view name, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int find_name(const GrammarRules& grammar, int line, std::string_view what, std::string_view name,
              const std::vector<std::string>& names) {
  const int place = index_of(name, names);
  if (place < 0) fail_at(grammar, line, "there is no ", what, " '", name, "'.", suggestion(name, names));
  return place;
}

GrammarRules read_grammar(std::string_view text, std::string_view name) {
  BlockReader reader(name);
  reader.read(text);
  read_bodies(reader.grammar, reader.bodies);
  read_references(reader.grammar, reader.references);
  check_rules(reader.grammar);
  return std::move(reader.grammar);
}

}  // namespace dragoman::demo
