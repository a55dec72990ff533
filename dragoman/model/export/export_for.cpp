#include "dragoman/model/export/export_for.h"

#include "dragoman/base/files.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/model/export/formats.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

// The files of a package are collected in a directory beside it.
void make_package(const OurModel& model, const fs::path& to, ExportTarget target) {
  require<UsageError>(!fs::exists(status_of(to)), "'", to.string(), "' already exists; name a new file.");
  remove_unfinished(to);
  target.directory = unfinished_path(to);
  const RemovedIfFailed removed(target.directory, /*is_new=*/true);
  make_directory(target.directory);
  write_argos_package(model, target);
  rename_durably(target.directory / kArgosPackage, to);
  remove_unfinished(to);
}

}  // namespace

std::vector<std::string> export_for(ExportFormat format, const fs::path& from, const fs::path& to,
                                    ExportPrecision precision) {
  if (format == ExportFormat::kDragoman) {
    export_model(from, to, precision);
    return {};
  }
  const OurModel model(from);
  std::vector<std::string> warnings;
  ExportTarget target{.directory = {}, .precision = precision, .warnings = warnings};
  if (format == ExportFormat::kArgos) {
    make_package(model, to, target);
    return warnings;
  }
  const auto write = format == ExportFormat::kTransformers ? write_transformers_model : write_ctranslate2_model;
  make_new_directory(to, [&](const fs::path& unfinished) {
    target.directory = unfinished;
    write(model, target);
  });
  return warnings;
}

}  // namespace dragoman::model
