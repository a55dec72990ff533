// dragoman report: writes the curves of one or several training runs as one page.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/path_names.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/train/run_report.h"

namespace dragoman::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> model;
  std::string output = "-";

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of a training run; may be repeated, to compare up to 8 runs");
    field("output", file_name(output), "page to write, such as compare.html; - for standard output");
  }
};

void report(CommandSettings& settings) {
  settings.read_file();
  ReportOptions options;
  settings.apply(options);
  require<UsageError>(options.model.size() <= train::kMaxComparedRuns, "a report compares at most ",
                      train::kMaxComparedRuns, " runs, and ", options.model.size(), " are named; name fewer.");
  require_page_output(options.output, "report.html");
  check_output_file(options.output, {}, "report.html");
  const std::vector<std::filesystem::path> directories(options.model.begin(), options.model.end());
  const std::vector<std::string> names = distinct_names(directories);
  std::vector<train::ReportedRun> runs;
  for (std::size_t i = 0; i < names.size(); ++i) runs.push_back(train::read_run(directories[i], names[i]));
  for (const train::ReportedRun& run : runs) {
    if (run.metrics.progress.empty() && run.metrics.validations.empty()) {
      note(fmt::format("report: the run '{}' has no records yet, so its curves are empty.", run.name));
    }
  }
  const std::string page = train::comparison_html(runs);
  if (options.output == "-") return print(page);
  replace_file(options.output, page);
  note(fmt::format("report: wrote '{}' ({}); open it in a browser.", options.output,
                   counted(std::ssize(runs), "run").text()));
}

}  // namespace

void add_report(CLI::App& program) {
  CommandSettings& settings = add_command(program, "report", "write the curves of training runs as a page", report);
  settings.add_flags(ReportOptions{}, "Options");
  settings.require_keys({"model"});
  settings.add_examples({{"the curves of a run", "dragoman report --model dragoman-demo --output report.html"},
                         {"two runs side by side",
                          "dragoman report --model dragoman-demo --model english-german --output compare.html"}});
}

}  // namespace dragoman::cli
