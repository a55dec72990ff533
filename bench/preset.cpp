#include "bench/preset.h"

#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::bench {
namespace {

// The keys of the model and of its training as one list.
struct PresetFields {
  model::Preset& preset;

  template <class Visitor>
  void fields(Visitor&& field) {
    preset.model.fields(field);
    preset.training.fields(field);
  }
  template <class Visitor>
  void shorthands(Visitor&& field) {
    preset.model.shorthands(field);
  }
};

}  // namespace

model::Preset changed_preset(std::string_view name, std::string_view changes) {
  model::Preset preset = model::preset(name);
  PresetFields fields{preset};
  std::vector<std::string> pairs;
  if (!changes.empty()) read_value(pairs, changes, "--set");
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    require<UsageError>(equals != std::string::npos, "--set: '", pair, "' is not a setting such as 'layers=2'.");
    set(fields, pair.substr(0, equals), pair.substr(equals + 1));
  }
  preset.model.validate();
  preset.training.validate();
  return preset;
}

}  // namespace dragoman::bench
