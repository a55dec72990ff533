#include "dragoman/study/ablate/rows.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"

namespace dragoman::study::ablate {
namespace {

// A factor of a rule.
struct Times {
  int numerator = 1, denominator = 1;
};

// A row while it is formed: the settings by key, so that the rules serve every architecture that has these keys.
class Draft {
 public:
  explicit Draft(const train::TrainingSettings& base) : base_(to_json(base)), settings_(base_) {}

  std::string text(const std::string& key) const { return setting_text(entry(key), key); }
  double number(const std::string& key) const { return entry(key).get<double>(); }
  bool is_set(const std::string& key) const { return !entry(key).is_null(); }
  bool equals_base() const { return settings_ == base_; }

  template <class Value>
  void set(const std::string& key, const Value& value) {
    entry(key);  // it must exist
    settings_[key] = value;
  }
  // Adds without the rounding errors of binary fractions: 0.2 + 0.1 is 0.3.
  void add(const std::string& key, double amount) { set(key, std::round((number(key) + amount) * 1e6) / 1e6); }

  // To the nearest whole number, but at least 1.
  void scale_rounded(const std::string& key, Times times) {
    set(key, std::max<std::int64_t>(1, std::llround(number(key) * times.numerator / times.denominator)));
  }
  void scale(const std::string& key, Times times) { set(key, product(key, number(key), times)); }
  void scale_if_set(const std::string& key, Times times) {
    if (is_set(key)) scale(key, times);
  }

  // Heads times width stays as it is, also where the widths are set.
  void change_heads(Times times) {
    const auto before = static_cast<int>(number("heads"));
    scale_rounded("heads", times);
    const Times inverse{before, static_cast<int>(number("heads"))};
    scale_if_set("d-k", inverse);
    scale_if_set("d-v", inverse);
  }
  void change_key_width(Times times) {
    const double width = is_set("d-k") ? number("d-k") : number("d-model") / number("heads");
    set("d-k", product("d-k", width, times));
  }
  void change_width(Times times) {
    scale("d-model", times);
    for (const char* key : {"d-k", "d-v"}) scale_if_set(key, times);
  }
  void change_layers(Times times) {
    for (const char* key : {"encoder-layers", "decoder-layers"}) scale_rounded(key, times);
  }

  // "d-model 256, heads 8"
  std::string change() const {
    std::string all;
    const bool has_layers = settings_.contains("encoder-layers") && settings_.contains("decoder-layers");
    const bool same_layers = has_layers && settings_["encoder-layers"] == settings_["decoder-layers"] &&
                             settings_["encoder-layers"] != base_["encoder-layers"] &&
                             settings_["decoder-layers"] != base_["decoder-layers"];
    for (const auto& [key, value] : settings_.items()) {
      if (value == base_[key] || (same_layers && key == "decoder-layers")) continue;
      const std::string name = same_layers && key == "encoder-layers" ? "layers" : key;
      all += join(all.empty() ? "" : ", ", name, " ", setting_text(value, key));
    }
    return all;
  }

  train::TrainingSettings settings() const { return train::settings_from_json(settings_, "the row"); }

 private:
  const Json& entry(const std::string& key) const {
    require<UsageError>(settings_.contains(key), "the architecture ", setting_text(settings_["arch"], "arch"),
                        " has no setting '", key, "'.");
    return settings_[key];
  }
  static std::int64_t product(const std::string& key, double value, Times times) {
    const double exact = value * times.numerator / times.denominator;
    require<UsageError>(exact == std::floor(exact) && exact >= 1, key, " is ", value, ", and ", times.numerator, "/",
                        times.denominator, " of it is no whole number.");
    return static_cast<std::int64_t>(exact);
  }

  Json base_, settings_;
};

using Change = std::function<void(Draft&)>;

Change heads(Times times) {
  return [=](Draft& row) { row.change_heads(times); };
}
Change key_width(Times times) {
  return [=](Draft& row) { row.change_key_width(times); };
}
Change layers(Times times) {
  return [=](Draft& row) { row.change_layers(times); };
}
Change width(Times times) {
  return [=](Draft& row) { row.change_width(times); };
}
Change scaled(const char* key, Times times) {
  return [=](Draft& row) { row.scale(key, times); };
}
Change more(const char* key, double amount) {
  return [=](Draft& row) { row.add(key, amount); };
}
template <class Value>
Change exactly(const char* key, Value value) {
  return [=](Draft& row) { row.set(key, value); };
}

void make_big(Draft& row) {
  for (const char* key : {"d-model", "d-ff", "heads"}) row.scale(key, {2, 1});
  row.add("dropout", 0.2);
  row.set("steps", 3 * static_cast<std::int64_t>(row.number("steps")));
  row.set("minutes", 3 * row.number("minutes"));
}

struct Rule {
  const char* name;  // with the value of `key` after it
  const char* key;   // null if the name is complete
  Change change;
  std::optional<PaperScores> paper = {};
};

constexpr int kWindow = 5;  // two neighbours on either side in the encoder, the last five tokens in the decoder

// The scores are those of Table 3 of the paper.
constexpr PaperScores kPaperBase{4.92, 25.8};
const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules{
      {"A-h", "heads", heads({1, 8}), {{5.29, 24.9}}},
      {"A-h", "heads", heads({1, 2}), {{5.00, 25.5}}},
      {"A-h", "heads", heads({2, 1}), {{4.91, 25.8}}},
      {"A-h", "heads", heads({4, 1}), {{5.01, 25.4}}},
      {"B-dk", "d-k", key_width({1, 4}), {{5.16, 25.1}}},
      {"B-dk", "d-k", key_width({1, 2}), {{5.01, 25.4}}},
      {"C-N", "encoder-layers", layers({1, 3}), {{6.11, 23.7}}},
      {"C-N", "encoder-layers", layers({2, 3}), {{5.19, 25.3}}},
      {"C-N", "encoder-layers", layers({4, 3}), {{4.88, 25.5}}},
      {"C-d", "d-model", width({1, 2}), {{5.75, 24.5}}},
      {"C-d", "d-model", width({2, 1}), {{4.66, 26.0}}},
      {"C-dff", "d-ff", scaled("d-ff", {1, 2}), {{5.12, 25.4}}},
      {"C-dff", "d-ff", scaled("d-ff", {2, 1}), {{4.75, 26.2}}},
      {"D-drop", "dropout", exactly("dropout", 0.0), {{5.77, 24.6}}},
      {"D-drop", "dropout", more("dropout", 0.1), {{4.95, 25.5}}},
      {"D-ls", "label-smoothing", exactly("label-smoothing", 0.0), {{4.67, 25.3}}},
      {"D-ls", "label-smoothing", more("label-smoothing", 0.1), {{5.47, 25.7}}},
      {"E-learned", nullptr, exactly("positions", "learned"), {{4.92, 25.7}}},
      {"F-dot", nullptr, exactly("attention-score", "dot")},
      {"F-additive", nullptr, exactly("attention-score", "additive")},
      {"F-batch", nullptr, exactly("norm-kind", "batch")},
      {"F-no-positions", nullptr, exactly("positions", "none")},
      {"F-window", "window", exactly("window", kWindow)},
      {kBigRow, nullptr, make_big, {{4.33, 26.4}}},
  };
  return kRules;
}

// A row as a rule forms it, or the reason why it cannot be formed.
struct Candidate {
  std::string group;
  Row row;
  std::string equals = {};   // the name of another row that is the same
  std::string problem = {};  // not empty if it cannot be formed
};

std::string group_of(const std::string& name) { return name.substr(0, name.find('-')); }

Candidate form(const Rule& rule, const train::TrainingSettings& base) {
  Candidate candidate{.group = group_of(rule.name),
                      .row = {.name = rule.name, .change = {}, .settings = {}, .paper = rule.paper}};
  Draft draft(base);
  try {
    rule.change(draft);
    if (rule.key != nullptr) candidate.row.name += draft.text(rule.key);
    candidate.row.change = draft.change();
    candidate.row.settings = draft.settings();
    if (draft.equals_base()) candidate.equals = kBaseRow;
    candidate.row.settings.validate();
  } catch (const Error& error) {  // of the rule, or of the settings that it makes
    candidate.problem = error.what();
  }
  return candidate;
}

std::vector<Candidate> candidates_of(const train::TrainingSettings& base) {
  std::vector<Candidate> candidates;
  for (const Rule& rule : rules()) {
    Candidate candidate = form(rule, base);
    const bool is_there =
        std::ranges::any_of(candidates, [&](const Candidate& other) { return other.row.name == candidate.row.name; });
    if (candidate.equals.empty() && candidate.problem.empty() && is_there) candidate.equals = candidate.row.name;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// The name is "all", a group or a row. Throws a UsageError for any other.
void require_known(const std::string& name, const std::vector<Candidate>& candidates) {
  std::vector<std::string> known{"all", kBaseRow}, rows;
  for (const Candidate& candidate : candidates) {
    if (known.back() != candidate.group) known.push_back(candidate.group);
    if (candidate.equals.empty() && candidate.problem.empty()) rows.push_back(candidate.row.name);
  }
  const bool is_row = std::ranges::any_of(candidates, [&](const Candidate& one) { return one.row.name == name; });
  require<UsageError>(is_row || std::ranges::count(known, name) > 0, "there is no row '", name,
                      "'; with this configuration there are ", listed(rows), ".");
}

}  // namespace

train::TrainingSettings with_paper_numbers(const train::TrainingSettings& settings) {
  Draft draft(settings);
  for (const char* key : {"encoder-layers", "decoder-layers"}) draft.set(key, 6);
  draft.set("d-model", 512);
  draft.set("d-ff", 2048);
  draft.set("heads", 8);
  for (const char* key : {"d-k", "d-v", "window"}) draft.set(key, nullptr);
  for (const char* key : {"dropout", "label-smoothing"}) draft.set(key, 0.1);
  draft.set("positions", "sinusoid");
  draft.set("attention-score", "scaled");
  draft.set("norm-kind", "layer");
  draft.set("batch-norm-padding", "ignore");
  draft.set("window-kind", "sliding");
  return draft.settings();
}

ChosenRows choose_rows(const train::TrainingSettings& base, std::span<const std::string> wanted) {
  const std::vector<Candidate> candidates = candidates_of(base);
  for (const std::string& name : wanted) require_known(name, candidates);
  const auto wants = [&](const std::string& name) { return std::ranges::count(wanted, name) > 0; };
  ChosenRows chosen;
  const auto leave_out = [&](std::string sentence) {
    if (std::ranges::count(chosen.left_out, sentence) == 0) chosen.left_out.push_back(std::move(sentence));
  };
  chosen.rows.push_back({.name = kBaseRow, .change = {}, .settings = base, .paper = kPaperBase});
  for (const Candidate& candidate : candidates) {
    const std::string& name = candidate.row.name;
    if (!wants("all") && !wants(candidate.group) && !wants(name)) continue;
    require<UsageError>(candidate.problem.empty(), "the row ", name, " cannot be formed: ", candidate.problem,
                        " To leave it out, name the others with --rows.");
    if (candidate.equals.empty()) {
      chosen.rows.push_back(candidate.row);
    } else if (candidate.equals == kBaseRow) {
      require<UsageError>(!wants(name), "the row ", name, " equals base: this configuration has these values already.");
      leave_out(join("the row ", name, " is left out: it equals base"));
    } else if (!wants(name)) {
      leave_out(join("a second row ", name, " is left out: two rules give the same value"));
    }
  }
  return chosen;
}

}  // namespace dragoman::study::ablate
