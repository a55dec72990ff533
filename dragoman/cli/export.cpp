// dragoman export: copies a model in another precision, or for another program.
#include <fmt/format.h>

#include <string>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/model/export/export_for.h"
#include "dragoman/model/files/directory.h"

namespace dragoman::cli {
namespace {

struct ExportOptions {
  std::string model, output;
  model::ExportFormat format = model::ExportFormat::kDragoman;
  model::ExportPrecision precision = model::ExportPrecision::kInt8;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of the model");
    field("output", directory_name(output), "directory for the copy, new or empty; for argos a new file");
    field("format", format, "the program that the copy is for");
    field("precision", precision, "how its weights are stored; for other programs fp32 by default");
  }
};

double megabytes(const std::string& directory) {
  return static_cast<double>(std::filesystem::file_size(model::weights_file(directory))) / 1e6;
}

void export_copy(CommandSettings& settings) {
  settings.read_file();
  ExportOptions options;
  settings.apply(options);
  const bool is_ours = options.format == model::ExportFormat::kDragoman;
  if (!is_ours) {
    options.precision = model::ExportPrecision::kFloat32;
    settings.apply(options);
  }
  if (is_ours) decode::search_of_model(options.model);  // throws if search.json, which is copied, is damaged
  const auto warnings = model::export_for(options.format, options.model, options.output, options.precision);
  for (const std::string& warning : warnings) note("export: " + warning);
  if (is_ours) {
    print(fmt::format("wrote '{}': {:.1f} MB of weights instead of {:.1f} MB\n", options.output,
                      megabytes(options.output), megabytes(options.model)));
  } else {
    print(fmt::format("wrote '{}' for {}\n", options.output, to_string(options.format)));
  }
}

}  // namespace

void add_export(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "export", "copy a model in another precision, or for another program", export_copy);
  settings.add_flags(ExportOptions{}, "Options");
  settings.require_keys({"model", "output"});
  settings.add_examples(
      {{"a quarter of the size, for translating on a CPU", "dragoman export --model dragoman-demo --output demo-int8"},
       {"half of the size", "dragoman export --model dragoman-demo --output demo-bf16 --precision bf16"},
       {"for CTranslate2", "dragoman export --model dragoman-demo --output demo-ct2 --format ctranslate2"}});
}

}  // namespace dragoman::cli
