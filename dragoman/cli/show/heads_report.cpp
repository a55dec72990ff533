#include "dragoman/cli/show/heads_report.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"

namespace dragoman::cli {
namespace {

struct Column {
  std::string_view key, title;
};
constexpr std::array<Column, 9> kShareColumns{{{"previous", "previous"},
                                               {"own", "same"},
                                               {"next", "next"},
                                               {"first", "first"},
                                               {"end", "end"},
                                               {"agreement", "agreement"},
                                               {"forward", "forward"},
                                               {"distinct", "distinct"},
                                               {"alignment_error", "AER"}}};

// Whether any head has a number in this column.
bool is_used(const Json& heads, const Column& column) {
  for (const Json& head : heads) {
    if (head.contains(column.key) && !head[std::string(column.key)].is_null()) return true;
  }
  return false;
}

std::string share_text(const Json& head, std::string_view key) {
  const Json value = head.value(std::string(key), Json());
  return value.is_number() ? fmt::format("{:.0f} %", 100 * value.get<double>()) : "-";
}

std::string head_name(const Json& head) {
  return fmt::format("{} {}.{}", head.value("attention", ""), head.value("layer", 0), head.value("head", 0));
}

// "mean entropy in bits: encoder 2.31, decoder 1.90, cross 2.05", over the heads of each kind of attention.
std::string mean_entropies(const Json& heads) {
  struct Mean {
    std::string attention;
    double sum = 0;
    int count = 0;
  };
  std::vector<Mean> means;
  for (const Json& head : heads) {
    const std::string attention = head.value("attention", "");
    if (means.empty() || means.back().attention != attention) means.push_back({.attention = attention});
    means.back().sum += head.value("entropy", 0.0);
    ++means.back().count;
  }
  std::string text = "mean entropy in bits: ";
  for (const Mean& mean : means) {
    text += fmt::format("{}{} {:.2f}", &mean == &means.front() ? "" : ", ", mean.attention, mean.sum / mean.count);
  }
  return text;
}

}  // namespace

std::string heads_text(const Json& file) {
  const Json& heads = file["heads"];
  std::size_t widest = 0;
  for (const Json& head : heads) widest = std::max(widest, head_name(head).size());
  std::string text = fmt::format("{:{}}  {:15}  {:>7}  {:>8}", "head", widest, "role", "entropy", "distance");
  for (const Column& column : kShareColumns) {
    if (is_used(heads, column))
      text += fmt::format("  {:>{}}", column.title, std::max<std::size_t>(5, column.title.size()));
  }
  for (const Json& head : heads) {
    text += fmt::format("\n{:{}}  {:15}  {:7.2f}  {:8.2f}", head_name(head), widest, head.value("role", ""),
                        head.value("entropy", 0.0), head.value("distance", 0.0));
    for (const Column& column : kShareColumns) {
      if (!is_used(heads, column)) continue;
      text += fmt::format("  {:>{}}", share_text(head, column.key), std::max<std::size_t>(5, column.title.size()));
    }
  }
  return text + "\n\n" + mean_entropies(heads) +
         fmt::format("\n{} over {}: {} and {}; {} between words\n", counted(std::ssize(heads), "head").text(),
                     counted(file.value("sentences", std::int64_t{0}), "sentence").text(),
                     counted(file.value("source_words", std::int64_t{0}), "source word").text(),
                     counted(file.value("target_words", std::int64_t{0}), "target word").text(),
                     counted(file.value("clear_links", std::int64_t{0}), "clear link").text()) +
         (file.contains("pronoun") ? "\n" + pronoun_text(file["pronoun"]) : "");
}

std::string pronoun_text(const Json& pronoun) {
  const auto line = [&](const std::string& what, std::string_view key) {
    return fmt::format("  {:<70} {:>6}\n", what, share_text(pronoun, key));
  };
  std::string text = fmt::format("{} with a pronoun, whose noun and adjective no training sentence combines:\n",
                                 counted(pronoun.value("sentences", std::int64_t{0}), "sentence").text());
  text += line("the pronoun is translated right", "translated");
  text += line(fmt::format("{}, chosen on training sentences, looks at the right noun", head_name(pronoun)), "prefers");
  const std::int64_t contrasts = pronoun.value("contrasts", std::int64_t{0});
  if (contrasts > 0)
    text +=
        line(fmt::format("the same in both sentences of {} that differ in one word", counted(contrasts, "pair").text()),
             "flips");
  if (!pronoun.contains("example")) return text;
  const Json& example = pronoun["example"];
  text += fmt::format("Where {} looks for '{}':\n", head_name(pronoun), example.value("pronoun", ""));
  for (const Json& sentence : example.value("sentences", Json::array())) {
    text += fmt::format("  {}\n    {} {:.2f}, {} {:.2f}\n", sentence.value("text", ""), sentence.value("meant", ""),
                        sentence.value("to_meant", 0.0), sentence.value("other", ""), sentence.value("to_other", 0.0));
  }
  return text;
}

}  // namespace dragoman::cli
