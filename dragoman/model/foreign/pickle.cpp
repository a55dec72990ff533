#include "dragoman/model/foreign/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::model::foreign {
namespace {

constexpr std::size_t kMostValues = 150'000;
constexpr int kMostInstructions = 1'000'000;
constexpr std::uint64_t kMostText = 8 << 20;
constexpr std::size_t kLongestGlobal = 1000;

// The instructions, under the names of Python's module pickle.
enum Opcode : char {
  kMark = '(',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNoneOpcode = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobalOpcode = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTupleOpcode = 't',
  kSetItems = 'u',
  kEmptyTuple = ')',
  kEmptyList = ']',
  kEmptyDict = '}',
  kProto = '\x80',
  kNewObj = '\x81',
  kTuple1 = '\x85',
  kTuple2 = '\x86',
  kTuple3 = '\x87',
  kNewTrue = '\x88',
  kNewFalse = '\x89',
  kLong1 = '\x8A',
};

}  // namespace

struct Pickle::Machine {
  ByteCursor& cursor;
  std::deque<Value>& values;
  std::vector<Ref> stack = {};
  std::vector<std::size_t> marks = {};  // sizes of the stack at each mark
  std::unordered_map<std::uint32_t, Ref> memo = {};
  std::uint64_t text_bytes = 0;

  std::string damaged() const { return cursor.bytes()->name() + " is damaged: its pickle "; }

  void push(Value value) {
    require<Error>(values.size() < kMostValues, cursor.bytes()->name(), " has a pickle with more than ", kMostValues,
                   " values.");
    stack.push_back(static_cast<Ref>(values.size()));
    values.push_back(std::move(value));
  }
  void count_text(std::uint64_t bytes) {
    text_bytes += bytes;
    require<Error>(text_bytes <= kMostText, cursor.bytes()->name(), " has a pickle with more than ", kMostText,
                   " bytes of text.");
  }
  void push_text(std::uint64_t bytes) {
    count_text(bytes);
    push({.kind = Kind::kText, .text = cursor.text(bytes)});
  }
  void push_integer(std::int64_t integer) { push({.kind = Kind::kInteger, .integer = integer}); }

  // The lowest place of the stack that instructions may use: those above the last mark.
  std::size_t floor() const { return marks.empty() ? 0 : marks.back(); }
  Ref pop() {
    require<Error>(stack.size() > floor(), damaged(), "takes more values than it has.");
    const Ref top = stack.back();
    stack.pop_back();
    return top;
  }
  Ref top() const {
    require<Error>(stack.size() > floor(), damaged(), "takes more values than it has.");
    return stack.back();
  }
  std::vector<Ref> pop_to_mark() {
    require<Error>(!marks.empty(), damaged(), "takes more values than it has.");
    const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(marks.back());
    std::vector<Ref> items(begin, stack.end());
    stack.erase(begin, stack.end());
    marks.pop_back();
    return items;
  }
  void push_tuple(std::size_t size) {
    std::vector<Ref> items(size);
    for (std::size_t i = size; i-- > 0;) items[i] = pop();
    push({.kind = Kind::kTuple, .items = std::move(items)});
  }

  void append(const std::vector<Ref>& items) {
    Value& list = values[top()];
    require<Error>(list.kind == Kind::kList || list.kind == Kind::kObject, damaged(), "appends to what is no list.");
    list.items.insert(list.items.end(), items.begin(), items.end());
  }
  void set(const std::vector<Ref>& items) {
    Value& dict = values[top()];
    require<Error>((dict.kind == Kind::kDict || dict.kind == Kind::kObject) && items.size() % 2 == 0, damaged(),
                   "sets entries of what is no dictionary.");
    dict.items.insert(dict.items.end(), items.begin(), items.end());
  }
  // Python stores each value at most once.
  void put(std::uint32_t place) {
    memo[place] = top();
    require<Error>(memo.size() <= values.size(), damaged(), "stores a value twice.");
  }
  void get(std::uint32_t place) {
    const auto found = memo.find(place);
    require<Error>(found != memo.end(), damaged(), "uses a value that it has not stored.");
    stack.push_back(found->second);
  }

  // A call, which is only recorded. OrderedDict() is a dictionary.
  void call() {
    const Ref arguments = pop(), function = pop();
    require<Error>(values[arguments].kind == Kind::kTuple, damaged(), "has a call without arguments.");
    const Value& name = values[function];
    if (name.kind == Kind::kGlobal && name.text == "collections OrderedDict" && values[arguments].items.empty()) {
      return push({.kind = Kind::kDict});
    }
    push({.kind = Kind::kObject, .items = {function, arguments}});
  }
  void build() {
    const Ref state = pop();
    values[top()].state = state;
  }

  // A line of a GLOBAL instruction.
  std::string line() {
    std::string line;
    for (char c = cursor.number<char>(); c != '\n'; c = cursor.number<char>()) {
      line += c;
      require<Error>(line.size() <= kLongestGlobal, damaged(), "has a name that is too long.");
    }
    return line;
  }
  void push_global() {
    std::string name = line() + " ";
    name += line();
    count_text(name.size());
    push({.kind = Kind::kGlobal, .text = std::move(name)});
  }
  // Unlike all other numbers, floats begin with their highest byte.
  void push_float() {
    std::array<char, 8> bytes{};
    for (char& byte : bytes) byte = cursor.number<char>();
    std::ranges::reverse(bytes);
    push({.kind = Kind::kFloat, .number = std::bit_cast<double>(bytes)});
  }
  void push_long() {
    std::string bytes = cursor.text(cursor.number<std::uint8_t>());
    count_text(bytes.size());
    if (bytes.size() > sizeof(std::int64_t)) return push({.kind = Kind::kBigInteger, .text = std::move(bytes)});
    // The highest bit is the sign.
    const bool negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
    bytes.resize(sizeof(std::int64_t), negative ? '\xFF' : '\0');
    std::int64_t integer = 0;
    std::memcpy(&integer, bytes.data(), sizeof integer);
    push_integer(integer);
  }

  // Returns false at the end of the pickle.
  bool step();
  void refuse(char opcode) const {
    throw Error(join(cursor.bytes()->name(), " has a pickle with the instruction ",
                     static_cast<int>(static_cast<unsigned char>(opcode)),
                     ", which this program does not read: save it with torch.save and its default protocol."));
  }
};

bool Pickle::Machine::step() {
  switch (const auto opcode = cursor.number<char>(); opcode) {
    case kProto:
      require<Error>(cursor.number<std::uint8_t>() <= 2, cursor.bytes()->name(),
                     " has a pickle of a later protocol than 2: save it with torch.save and its default protocol.");
      break;
    case kStop: return false;
    case kMark: marks.push_back(stack.size()); break;
    case kNoneOpcode: push({}); break;
    case kNewTrue: push({.kind = Kind::kBool, .integer = 1}); break;
    case kNewFalse: push({.kind = Kind::kBool, .integer = 0}); break;
    case kBinInt: push_integer(cursor.number<std::int32_t>()); break;
    case kBinInt1: push_integer(cursor.number<std::uint8_t>()); break;
    case kBinInt2: push_integer(cursor.number<std::uint16_t>()); break;
    case kLong1: push_long(); break;
    case kBinFloat: push_float(); break;
    case kBinUnicode:
    case kBinString: push_text(cursor.number<std::uint32_t>()); break;
    case kShortBinString: push_text(cursor.number<std::uint8_t>()); break;
    case kGlobalOpcode: push_global(); break;
    case kEmptyTuple: push({.kind = Kind::kTuple}); break;
    case kEmptyList: push({.kind = Kind::kList}); break;
    case kEmptyDict: push({.kind = Kind::kDict}); break;
    case kTuple1: push_tuple(1); break;
    case kTuple2: push_tuple(2); break;
    case kTuple3: push_tuple(3); break;
    case kTupleOpcode: push({.kind = Kind::kTuple, .items = pop_to_mark()}); break;
    case kAppend: append({pop()}); break;
    case kAppends: append(pop_to_mark()); break;
    case kSetItem: {
      const Ref value = pop(), key = pop();
      set({key, value});
      break;
    }
    case kSetItems: set(pop_to_mark()); break;
    case kBinPut: put(cursor.number<std::uint8_t>()); break;
    case kLongBinPut: put(cursor.number<std::uint32_t>()); break;
    case kBinGet: get(cursor.number<std::uint8_t>()); break;
    case kLongBinGet: get(cursor.number<std::uint32_t>()); break;
    case kBinPersId: push({.kind = Kind::kPersistent, .items = {pop()}}); break;
    case kReduce:
    case kNewObj: call(); break;
    case kBuild: build(); break;
    default: refuse(opcode);
  }
  return true;
}

Pickle::Pickle(ByteCursor& cursor) {
  Machine machine{.cursor = cursor, .values = values_};
  for (int instructions = 0; machine.step(); ++instructions) {
    require<Error>(instructions < kMostInstructions, cursor.bytes()->name(), " has a pickle with more than ",
                   kMostInstructions, " instructions.");
  }
  require<Error>(machine.marks.empty(), machine.damaged(), "ends with an open mark.");
  root_ = machine.pop();
}

const Pickle::Value* Pickle::find(const Value& dictionary, std::string_view key) const {
  const Value* entries = &dictionary;
  if (dictionary.kind == Kind::kObject) {
    if (!dictionary.state) return nullptr;
    entries = &at(*dictionary.state);
  }
  if (entries->kind != Kind::kDict) return nullptr;
  // If a key was set twice, the last value counts.
  for (std::size_t i = entries->items.size(); i >= 2; i -= 2) {
    const Value& name = at(entries->items[i - 2]);
    if (name.kind == Kind::kText && name.text == key) return &at(entries->items[i - 1]);
  }
  return nullptr;
}

}  // namespace dragoman::model::foreign
