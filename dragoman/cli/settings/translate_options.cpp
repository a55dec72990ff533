#include "dragoman/cli/settings/translate_options.h"

#include <unistd.h>

#include "dragoman/base/error.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"

namespace dragoman::cli {

void TranslateOptions::take_arguments(const CommandSettings& settings) {
  if (settings.arguments().empty()) return;
  require<UsageError>(!settings.has_flag("input"), "the text is named twice, by --input and by '",
                      settings.arguments().front(), "'; use one of them.");
  input = settings.arguments();
}

bool TranslateOptions::is_typed() const {
  return input == std::vector<std::string>{"-"} && ::isatty(STDIN_FILENO) == 1;
}

void TranslateOptions::validate(const decode::SearchSettings& search) const {
  require<UsageError>(search.n_best == 1 || (!scores && !flags && !alignment) || is_typed(),
                      "--n-best prints lines in its own format, with scores; leave out --scores, --flags and "
                      "--alignment.");
  require<UsageError>(!output.empty(), "--output needs the name of a file, or - for standard output.");
  require<UsageError>(prefix != "-", "standard input is the text to translate; --prefix needs a file.");
  require<UsageError>(prefix.empty() || !is_typed(),
                      "--prefix belongs to the lines of a file; name the file with --input.");
  require<UsageError>(attention.empty() || attention != output, "--output and --attention name the same file.");
  std::vector<std::string> inputs = input;
  if (!prefix.empty()) inputs.push_back(prefix);
  check_output_file(output, inputs);
  require_no_input(attention, inputs);
}

}  // namespace dragoman::cli
