// Reads Python's pickles (protocol 2, as torch.save writes them) as data. A pickle is a program for a small stack
// machine that may name any function of Python and call it. This machine has no functions: a call becomes a value that
// records which name was called with which arguments.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/model/foreign/byte_source.h"

namespace dragoman::model::foreign {

class Pickle {
 public:
  // Values refer to each other by these, because they may share parts, or even contain themselves.
  using Ref = std::uint32_t;

  enum class Kind : std::uint8_t {
    kNone,
    kBool,        // integer
    kInteger,     // integer
    kBigInteger,  // text: its bytes, the lowest first, as a two's complement
    kFloat,       // number
    kText,        // text
    kTuple,       // items
    kList,        // items
    kDict,        // items: key, value, key, value, ...
    kGlobal,      // text: a module and a name in it, with a space between
    kObject,      // made by the call of a global: items = {global, arguments}, then what was appended or set
    kPersistent,  // items = {the name by which the pickle refers to something outside}
  };
  struct Value {
    Kind kind = Kind::kNone;
    std::int64_t integer = 0;
    double number = 0;
    std::string text = {};
    std::vector<Ref> items = {};
    std::optional<Ref> state = std::nullopt;  // what Python would give to the object's __setstate__
  };

  // Reads one pickle. Afterwards the cursor is behind it. Throws an Error that names the file if it is damaged, uses an
  // instruction that torch.save does not write, or has more than 150,000 values, a million
  // instructions or 8 MiB of text: more than a checkpoint with 5,000 tensors and the state of its optimiser.
  explicit Pickle(ByteCursor& cursor);

  const Value& root() const { return at(root_); }
  const Value& at(Ref ref) const { return values_[ref]; }
  const std::deque<Value>& values() const { return values_; }

  // The entry of a dictionary, or of the attributes of an object, whose key is this text; null if there is none.
  const Value* find(const Value& dictionary, std::string_view key) const;

 private:
  struct Machine;

  std::deque<Value> values_;  // grows without a copy
  Ref root_ = 0;
};

}  // namespace dragoman::model::foreign
