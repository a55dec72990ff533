#include "dragoman/model/registry/registry.h"

#include <deque>

#include "dragoman/model/convolutional/architecture.h"
#include "dragoman/model/recurrent/architecture.h"
#include "dragoman/model/transformer/architecture.h"
#include "dragoman/model/universal/architecture.h"

namespace dragoman::model {
namespace {

// To add an architecture, add it to this list. It is a deque because references to its elements stay valid when
// add_architecture appends one.
std::deque<Architecture>& table() {
  static std::deque<Architecture> architectures{transformer::make_architecture(), recurrent::make_architecture(),
                                                convolutional::make_architecture(), universal::make_architecture()};
  return architectures;
}

}  // namespace

const Architecture& architecture(std::string_view name) {
  if (name.empty()) return table().front();
  return table()[read_name(architecture_names(), name, "arch")];
}

std::vector<std::string> architecture_names() {
  std::vector<std::string> names;
  for (const Architecture& known : table()) names.push_back(known.name);
  return names;
}

void add_architecture(Architecture added) { table().push_back(std::move(added)); }

ModelConfig default_model() { return table().front().presets.front().model; }

const Preset& preset(std::string_view name) {
  for (const Architecture& known : table()) {
    for (const Preset& candidate : known.presets) {
      if (candidate.name == name) return candidate;
    }
  }
  throw UsageError(join("there is no preset '", name, "'.", suggestion(name, preset_names()),
                        " 'dragoman inspect --list' shows them all."));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Architecture& known : table()) {
    for (const Preset& listed : known.presets) names.push_back(listed.name);
  }
  return names;
}

}  // namespace dragoman::model
