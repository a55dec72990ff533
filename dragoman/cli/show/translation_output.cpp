#include "dragoman/cli/show/translation_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

TranslationOutput::TranslationOutput(const std::string& name) {
  if (name == "-") return;
  require_not_standard_input(name, "--output");
  file_.emplace(name);
}

void TranslationOutput::write(std::string_view text) { file_ ? file_->write(text) : print(text); }

void TranslationOutput::flush() {
  if (!file_) flush_output();
}

void TranslationOutput::finish() {
  if (file_) file_->finish();
}

bool TranslationOutput::is_file() const {
  struct stat status {};
  return file_ || (::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode));
}

}  // namespace dragoman::cli
