// dragoman score: BLEU of translations, as sacreBLEU prints it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/output.h"
#include "dragoman/cli/settings.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

using text::LineReader;

struct ScoreOptions {
  std::vector<std::string> reference;
  std::string hypothesis = "-";
  eval::Smoothing smoothing = eval::Smoothing::kExp;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("reference", reference, "files of right translations, a line for each hypothesis");
    field("hypothesis", hypothesis, "file of translations to score; - is standard input");
    field("smoothing", smoothing, "what n-grams without a match count for");
    field("json", json, "print JSON");
  }

  void validate() const { require<UsageError>(!reference.empty(), "name the right translations with --reference."); }
};

[[noreturn]] void refuse_lengths(const std::string& reference, std::int64_t hypotheses, bool more_hypotheses) {
  if (more_hypotheses) {
    throw UsageError(join("'", reference, "' has only ", hypotheses - 1, " lines, but there are more hypotheses."));
  }
  throw UsageError(join("'", reference, "' has more lines than there are hypotheses, which is ", hypotheses, "."));
}

eval::BleuStatistics read_statistics(const ScoreOptions& options) {
  LineReader hypotheses(options.hypothesis);
  std::vector<LineReader> readers;
  for (const std::string& file : options.reference) readers.emplace_back(file);
  eval::BleuStatistics statistics;
  std::vector<std::string> references(readers.size());
  std::string hypothesis;
  while (true) {
    const bool more = hypotheses.next(hypothesis);
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const bool has_reference = readers[i].next(references[i]);
      if (has_reference != more) refuse_lengths(readers[i].path(), hypotheses.line(), more);
    }
    if (!more) return statistics;
    statistics += eval::bleu_statistics(hypothesis, references);
  }
}

void score(Settings& settings) {
  settings.read_file();
  ScoreOptions options;
  settings.apply(options);
  options.validate();
  const eval::BleuSettings bleu_settings{.smoothing = options.smoothing};
  const eval::Bleu bleu = eval::bleu(read_statistics(options), bleu_settings);
  const std::string signature = eval::bleu_signature(bleu_settings, options.reference.size());
  if (!options.json) return print(fmt::format("BLEU|{} = {}\n", signature, eval::bleu_text(bleu)));
  print(nlohmann::ordered_json{{"name", "BLEU"},
                               {"score", bleu.score},
                               {"signature", signature},
                               {"precisions", bleu.precisions},
                               {"brevity_penalty", bleu.brevity_penalty},
                               {"correct", bleu.statistics.correct},
                               {"total", bleu.statistics.total},
                               {"hypothesis_length", bleu.statistics.hypothesis_length},
                               {"reference_length", bleu.statistics.reference_length}}
            .dump(2) +
        "\n");
}

}  // namespace

void add_score(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("score", "BLEU of translations");
  auto settings = std::make_shared<Settings>(command);
  settings->add_flags(ScoreOptions{}, "Options");
  command.callback([settings] { score(*settings); });
}

}  // namespace dragoman::cli
