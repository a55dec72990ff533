// Which architecture a command line is about. Its settings become flags, so this has to be known before the flags are
// read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/cli/settings/settings.h"

namespace dragoman::cli {

struct AskedArchitecture {
  std::string name;
  std::optional<ConfigFile> file;  // the --config file, if it was read here: a pipe can be read only once
  std::string problem;             // a sentence about an architecture that is not known; empty if all is well
};

// The architecture that `train` or `inspect` is asked for: by --arch or the key `arch` of the file that --config names;
// else that of the model that --init names, of the preset, or of the run that --model holds; else the usual one. What
// is wrong with a file, a preset or a directory is left for the command to report.
AskedArchitecture asked_architecture(const std::vector<std::string>& arguments);

// A flag for each setting of this architecture, with the values of its first preset.
void add_model_flags(Settings& settings, const AskedArchitecture& asked);

// What --help says of --arch.
const std::string& arch_help();

}  // namespace dragoman::cli
