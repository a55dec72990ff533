// dragoman export: copies a model in another precision.
#include <fmt/format.h>

#include <string>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/export.h"

namespace dragoman::cli {
namespace {

struct ExportOptions {
  std::string model, output;
  model::ExportPrecision precision = model::ExportPrecision::kInt8;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of the model");
    field("output", directory_name(output), "directory for the copy, new or empty");
    field("precision", precision, "how its weights are stored");
  }
};

double megabytes(const std::string& directory) {
  return static_cast<double>(std::filesystem::file_size(model::weights_file(directory))) / 1e6;
}

void export_copy(CommandSettings& settings) {
  settings.read_file();
  ExportOptions options;
  settings.apply(options);
  model::export_model(options.model, options.output, options.precision);
  print(fmt::format("wrote '{}': {:.1f} MB of weights instead of {:.1f} MB\n", options.output,
                    megabytes(options.output), megabytes(options.model)));
}

}  // namespace

void add_export(CLI::App& program) {
  CommandSettings& settings = add_command(program, "export", "copy a model in another precision", export_copy);
  settings.add_flags(ExportOptions{}, "Options");
  settings.require_keys({"model", "output"});
  settings.add_examples(
      {{"a quarter of the size, for translating on a CPU", "dragoman export --model dragoman-demo --output demo-int8"},
       {"half of the size", "dragoman export --model dragoman-demo --output demo-bf16 --precision bf16"}});
}

}  // namespace dragoman::cli
