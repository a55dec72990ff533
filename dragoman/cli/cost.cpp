// dragoman cost: Table 2 of the paper, with training runs below its rows.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/path_names.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/study/cost/table.h"
#include "dragoman/train/run_report.h"

namespace dragoman::cli {
namespace {

struct CostOptions {
  std::vector<std::string> model, preset;
  double rate = 0;
  std::int64_t sentence = study::cost::kUsualSentence;
  bool markdown = false, json = false;
  std::string output;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model),
          "directory of a training run; may be repeated; runs that differ only by their seeds become one row");
    field("preset", preset, "settings to count the cost of before training; 'dragoman inspect --list' shows them");
    field("rate", rate,
          "floating-point operations a second that the machine sustains, such as 9.5e12; 0 for what was measured when "
          "the run began");
    field("sentence", sentence, "tokens in a sentence, for presets");
    field("markdown", markdown, "print Markdown");
    field("json", json, "print JSON");
    field("output", file_name(output), "also write a page with bars, such as cost.html");
  }

  void validate() const {
    require<UsageError>(rate == 0 || rate >= 1, "rate is ", rate,
                        "; it must be at least 1, in floating-point operations a second, or 0.");
    require<UsageError>(sentence > 0, "sentence is ", sentence, "; it must be above 0.");
    require<UsageError>(!markdown || !json, "give either --markdown or --json, not both.");
  }
};

std::vector<study::cost::RunCost> costs_of(const CostOptions& options) {
  const std::vector<std::filesystem::path> directories(options.model.begin(), options.model.end());
  const std::vector<std::string> names = distinct_names(directories);
  const std::optional<double> rate = options.rate > 0 ? std::optional(options.rate) : std::nullopt;
  std::vector<study::cost::RunCost> costs;
  for (const std::string& name : options.preset) {
    costs.push_back(study::cost::plan_of(model::preset(name), options.sentence));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    costs.push_back(study::cost::cost_of(train::read_run(directories[i], names[i]), rate));
  }
  return costs;
}

void show_costs(CommandSettings& settings) {
  settings.read_file();
  CostOptions options;
  settings.apply(options);
  options.validate();
  settings.require_effect("rate", !options.model.empty(), "without --model, because only runs have a machine.");
  settings.require_effect("sentence", !options.preset.empty(), "without --preset.");
  check_output_file(options.output);
  const study::cost::CostTable table = study::cost::make_cost_table(costs_of(options));
  print(options.json       ? json_text(study::cost::cost_json(table), 2) + "\n"
        : options.markdown ? study::cost::cost_markdown(table)
                           : study::cost::cost_text(table));
  if (options.output.empty()) return;
  flush_output();
  replace_file(options.output, study::cost::cost_page(table));
  note(join("cost: wrote '", options.output, "'; open it in a browser."));
}

}  // namespace

void add_cost(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "cost", "show what training cost, beside Table 2 of the paper", show_costs);
  settings.add_flags(CostOptions{}, "Options");
  settings.add_examples({{"the paper's table", "dragoman cost"},
                         {"two runs below it, as a page too",
                          "dragoman cost --model dragoman-demo --model english-german --output cost.html"},
                         {"what presets will cost", "dragoman cost --preset base,rnn-additive,conv-wmt"}});
}

}  // namespace dragoman::cli
