#include "dragoman/study/complexity/sequence.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace dragoman::study {
namespace {

const Variable* root_of(const Variable* variable) {
  while (variable->whole != nullptr) variable = variable->whole;
  return variable;
}

// How a value came about: the functions on the longest path to it, and for each tensor that was computed part by part
// the longest chain of its parts on a path to the value.
struct History {
  std::int64_t chain = 0;
  std::map<const Variable*, std::int64_t> parts;

  void include(const History& other) {
    chain = std::max(chain, other.chain);
    for (const auto& [whole, count] : other.parts) parts[whole] = std::max(parts[whole], count);
  }
};

class Histories {
 public:
  // What a reader of the variable depends on: what computed it, the tensor that it is a view of, and its own views,
  // which may have been computed part by part.
  History of(const Variable* variable) const {
    History history;
    for (const Variable* above = variable; above != nullptr; above = above->whole) include(above, history);
    include_views(variable, history);
    return history;
  }
  void set(const Variable* variable, const History& history) { known_[variable] = history; }

 private:
  void include(const Variable* variable, History& history) const {
    if (const auto found = known_.find(variable); found != known_.end()) history.include(found->second);
  }
  void include_views(const Variable* variable, History& history) const {
    for (const Variable* view = variable->views; view != nullptr; view = view->next_view) {
      include(view, history);
      include_views(view, history);
    }
  }

  std::unordered_map<const Variable*, History> known_;
};

}  // namespace

Sequence sequence_of(Recording& recording) {
  std::vector<const Node*> nodes;
  for (const Node* node = recording.last(); node != nullptr; node = node->previous) nodes.push_back(node);
  Histories histories;
  Sequence sequence;
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    const Node& node = **at;
    History history;
    for (std::size_t i = 0; i < node.input_count; ++i) {
      if (node.inputs[i] != nullptr) history.include(histories.of(node.inputs[i]));
    }
    ++history.chain;
    sequence.chain = std::max(sequence.chain, history.chain);
    for (const Variable* output : node.outputs) {
      if (output == nullptr) continue;
      History own = history;
      if (output->whole != nullptr) {
        sequence.steps = std::max(sequence.steps, ++own.parts[root_of(output)]);
      }
      histories.set(output, own);
    }
  }
  return sequence;
}

Sequence sequence_of(Backend& on, DType dtype, Layer& layer, std::int64_t n) {
  const ArenaScope values(on.arena()), host(on.host_arena());
  const std::int64_t lengths[] = {n};
  const Batch batch = make_batch(on, lengths);
  Array x = on.empty({n, layer.input_width()}, dtype);
  on.fill(x, 0.0);
  Recording recording(on);
  layer(leaf(on, x), batch);
  return sequence_of(recording);
}

std::int64_t expected_steps(LayerKind kind, std::int64_t n) { return is_recurrent(kind) ? n : 1; }

}  // namespace dragoman::study
