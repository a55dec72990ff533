// Finds the architecture that a command line asks for. Its settings become flags, so it must be known before the flags
// are parsed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/cli/settings/settings.h"

namespace dragoman::cli {

struct RequestedArchitecture {
  std::string name;
  std::optional<ConfigFile> file;  // the --config file, if it was read here, because a pipe can be read only once
  std::string problem;             // the message about an unknown architecture; empty if there is no problem
};

// The architecture that the command line of `train`, `inspect`, `demo` or `ablate` asks for. These are tried in order:
// --arch, or the key `arch` of the file that --config names; the model that --init names; the preset; what is in the
// directory that --model names, for `train` a run and for `inspect` a model; the default architecture. Errors in a
// file, a preset or a directory are left for the command to report.
RequestedArchitecture requested_architecture(const std::vector<std::string>& arguments);

// Adds a flag for each setting of this architecture. The defaults are those of its first preset.
void add_model_flags(CommandSettings& settings, const RequestedArchitecture& requested);

// The help text of --arch.
const std::string& arch_help();

}  // namespace dragoman::cli
