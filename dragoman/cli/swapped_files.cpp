#include "dragoman/cli/swapped_files.h"

#include "dragoman/base/error.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/train/settings.h"

namespace dragoman::cli {

void warn_if_swapped(std::string_view command, const model::ModelInfo& info, const TestFiles& files) {
  const bool swapped = !info.source_language.empty() && info.source_language != info.target_language &&
                       train::language_of(files.source) == info.target_language &&
                       train::language_of(files.reference) == info.source_language;
  if (!swapped) return;
  note(join(command, ": the model translates ", info.source_language, " into ", info.target_language, ", but '",
            files.source, "' is ", info.target_language, " by its name; did you swap ", files.flags, "?"));
}

}  // namespace dragoman::cli
