#include "dragoman/model/export/export_for.h"

#include "dragoman/base/new_directory.h"
#include "dragoman/model/export/formats.h"

namespace dragoman::model {

namespace fs = std::filesystem;

std::vector<std::string> export_for(ExportFormat format, const fs::path& from, const fs::path& to,
                                    ExportPrecision precision) {
  require<UsageError>(format != ExportFormat::kDragoman, "dragoman is not another program.");
  const OurModel model(from);
  std::vector<std::string> warnings;
  make_new_directory(to, [&](const fs::path& unfinished) {
    write_ctranslate2_model(model, {.directory = unfinished, .precision = precision, .warnings = warnings});
  });
  return warnings;
}

}  // namespace dragoman::model
