// Where `dragoman translate` writes translations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/files.h"

namespace dragoman::cli {

// Standard output gets each line at once. A file keeps its old content until finish(), and for good if the translation
// fails before.
class TranslationOutput {
 public:
  // "-" is standard output. Throws a UsageError if standard input comes from this file, and an Error if it cannot be
  // written.
  explicit TranslationOutput(const std::string& name);

  void write(std::string_view text);
  // Lets readers of standard output see what was written.
  void flush();
  void finish();
  // Whether the translations go to a file and not to somebody who reads them meanwhile.
  bool is_file() const;

 private:
  std::optional<FileReplacement> file_;
};

}  // namespace dragoman::cli
