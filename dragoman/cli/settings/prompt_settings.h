// The settings that can be changed at the prompt of `dragoman translate`.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/cli/settings/translate_options.h"
#include "dragoman/decode/search/search.h"

namespace dragoman::cli {

class PromptSettings {
 public:
  // Changes these settings; they must outlive this object.
  PromptSettings(TranslateOptions& options, decode::SearchSettings& search) : options_(options), search_(search) {}

  // Sets what `text` says, such as "beam 8", "n-best=3" or "scores", and returns a line with the new value. Hyphens in
  // the name may be left out. Without a value a switch is turned on, and any other setting is only shown. Throws a
  // UsageError, as the command line would, and changes nothing then.
  std::string change(std::string_view text);

  // A line for each setting: its name, its value and its meaning. The last one has no line end.
  std::string list();

 private:
  TranslateOptions& options_;
  decode::SearchSettings& search_;
};

}  // namespace dragoman::cli
