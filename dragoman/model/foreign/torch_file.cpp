#include "dragoman/model/foreign/torch_file.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/foreign/zip.h"

namespace dragoman::model::foreign {
namespace {

using Kind = Pickle::Kind;
using Value = Pickle::Value;

struct StorageClass {
  std::string_view name;
  Element element;
};
constexpr std::array<StorageClass, 10> kStorageClasses{{{"torch DoubleStorage", Element::kF64},
                                                        {"torch FloatStorage", Element::kF32},
                                                        {"torch HalfStorage", Element::kF16},
                                                        {"torch BFloat16Storage", Element::kBF16},
                                                        {"torch LongStorage", Element::kI64},
                                                        {"torch IntStorage", Element::kI32},
                                                        {"torch ShortStorage", Element::kI16},
                                                        {"torch CharStorage", Element::kI8},
                                                        {"torch ByteStorage", Element::kU8},
                                                        {"torch BoolStorage", Element::kU8}}};

// The first pickle of a file of the older layout: the number 0x1950a86a20f9469cfc6c, the lowest byte first.
constexpr std::string_view kMagic = "\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19";
// The first pickle begins with these bytes: protocol 2, and a number of ten bytes.
constexpr std::string_view kLegacyStart = "\x80\x02\x8A\x0A";
constexpr std::int64_t kLegacyVersion = 1001;
constexpr std::size_t kLongestKey = 100;  // of a storage: PyTorch numbers them

// The item of a tuple, if the value is a tuple with that many items.
const Value* item_of(const Pickle& pickle, const Value& tuple, std::size_t index) {
  if (tuple.kind != Kind::kTuple || index >= tuple.items.size()) return nullptr;
  return &pickle.at(tuple.items[index]);
}

// A storage's key, as its tuple ('storage', class, key, place, count) says; null if the value is no storage.
const std::string* storage_key(const Pickle& pickle, const Value& value) {
  if (value.kind != Kind::kPersistent) return nullptr;
  const Value& id = pickle.at(value.items[0]);
  const Value* tag = item_of(pickle, id, 0);
  const Value* key = item_of(pickle, id, 2);
  const bool is_storage = tag != nullptr && tag->text == "storage" && key != nullptr && key->kind == Kind::kText &&
                          key->text.size() <= kLongestKey;
  return is_storage ? &key->text : nullptr;
}

std::vector<std::int64_t> integers_of(const Pickle& pickle, const Value* tuple, const std::string& where) {
  require<Error>(tuple != nullptr && tuple->kind == Kind::kTuple, where, " has a shape that cannot be read.");
  require_few_sizes(tuple->items.size(), where);  // tensors may share one tuple
  std::vector<std::int64_t> integers;
  for (const Pickle::Ref item : tuple->items) {
    require<Error>(pickle.at(item).kind == Kind::kInteger, where, " has a shape that cannot be read.");
    integers.push_back(pickle.at(item).integer);
  }
  return integers;
}

// The three pickles at the beginning of a file of the older layout, each of which is a number or a small dictionary.
void require_legacy_start(ByteCursor& cursor) {
  const std::string& name = cursor.bytes()->name();
  const bool is_magic = [&] {
    const Pickle magic(cursor);
    return magic.root().kind == Kind::kBigInteger && magic.root().text == kMagic;
  }();
  require<Error>(is_magic && Pickle(cursor).root().integer == kLegacyVersion, name, " is not a checkpoint of PyTorch.");
  const Pickle system(cursor);
  const Value* little = system.find(system.root(), "little_endian");
  require<Error>(little != nullptr && little->integer == 1, name,
                 " was saved on a big-endian machine, whose numbers this program does not read.");
}

}  // namespace

TorchFile::TorchFile(const Bytes& bytes) : TorchFile(read(bytes)) { name_ = bytes->name(); }

TorchFile::TorchFile(Contents contents)
    : object_(std::move(contents.object)), storages_(std::move(contents.storages)) {}

TorchFile::Contents TorchFile::read(const Bytes& bytes) {
  if (looks_like_zip(*bytes)) return read_zip(bytes);
  const bool is_legacy = bytes->size() > kLegacyStart.size() && bytes->text(0, kLegacyStart.size()) == kLegacyStart;
  require<Error>(is_legacy, bytes->name(), " is not a checkpoint of PyTorch.");
  return read_legacy(bytes);
}

// What the pickle says about the storages: their elements, but not yet where they are.
std::map<std::string, TorchFile::Storage> TorchFile::describe_storages(const Pickle& object, const std::string& where) {
  std::map<std::string, Storage> storages;
  for (const Value& value : object.values()) {
    const std::string* key = storage_key(object, value);
    if (key == nullptr) continue;
    const Value& id = object.at(value.items[0]);
    const Value* type = item_of(object, id, 1);
    const Value* count = item_of(object, id, 4);
    const Value* view = item_of(object, id, 5);
    require<Error>(type->kind == Kind::kGlobal && count != nullptr && count->kind == Kind::kInteger &&
                       count->integer >= 0 && (view == nullptr || view->kind == Kind::kNone),
                   where, " has numbers that cannot be read: ", in_quotes(*key), ".");
    const auto* found = std::ranges::find(kStorageClasses, type->text, &StorageClass::name);
    require<Error>(found != kStorageClasses.end(), where,
                   " has numbers of a kind that this program does not read: ", in_quotes(type->text), ".");
    const Storage storage{
        .element = found->element, .count = static_cast<std::uint64_t>(count->integer), .bytes = nullptr};
    const Storage& first = storages.emplace(*key, storage).first->second;
    require<Error>(first.element == storage.element && first.count == storage.count, where,
                   " is damaged: it describes the numbers ", in_quotes(*key), " in two ways.");
  }
  return storages;
}

TorchFile::Contents TorchFile::read_zip(const Bytes& bytes) {
  const ZipFile zip(bytes);
  const std::string pickle = "data.pkl";
  std::string root;
  for (const std::string& name : zip.names()) {
    if (name.ends_with("/" + pickle)) root = name.substr(0, name.size() - pickle.size());
  }
  require<Error>(!root.empty(), bytes->name(), " is a zip file, but not a checkpoint of PyTorch: it has no ", pickle,
                 ".");
  if (zip.has(root + "byteorder")) {
    const Bytes order = zip.open_stored(root + "byteorder");
    require<Error>(order->size() == 6 && order->text(0, 6) == "little", bytes->name(),
                   " was saved on a big-endian machine, whose numbers this program does not read.");
  }
  ByteCursor cursor(zip.open_stored(root + pickle));
  Contents contents{.object = Pickle(cursor), .storages = {}};
  contents.storages = describe_storages(contents.object, bytes->name());
  for (auto& [key, storage] : contents.storages) {
    storage.bytes = zip.open_stored(root + "data/" + key);
    require<Error>(storage.count <= storage.bytes->size() / element_bytes(storage.element), bytes->name(),
                   " is damaged: the numbers ", in_quotes(key), " are cut short.");
  }
  return contents;
}

TorchFile::Contents TorchFile::read_legacy(const Bytes& bytes) {
  ByteCursor cursor(bytes);
  require_legacy_start(cursor);
  Contents contents{.object = Pickle(cursor), .storages = {}};
  contents.storages = describe_storages(contents.object, bytes->name());
  const Pickle keys(cursor);
  require<Error>(keys.root().kind == Kind::kList, bytes->name(), " is damaged: its list of numbers cannot be read.");
  for (const Pickle::Ref key : keys.root().items) {
    const auto found = contents.storages.find(keys.at(key).text);
    require<Error>(found != contents.storages.end() && found->second.bytes == nullptr, bytes->name(),
                   " is damaged: its list of numbers does not fit its pickle.");
    Storage& storage = found->second;
    require<Error>(cursor.number<std::uint64_t>() == storage.count, bytes->name(), " is damaged: the numbers ",
                   in_quotes(found->first), " have another count than its pickle says.");
    require<Error>(storage.count <= cursor.remaining() / element_bytes(storage.element), bytes->name(),
                   " is cut short.");
    const std::uint64_t size = storage.count * element_bytes(storage.element);
    storage.bytes = part_of(bytes, cursor.position(), size);
    cursor.skip(size);
  }
  for (const auto& [key, storage] : contents.storages) {
    require<Error>(storage.bytes != nullptr, bytes->name(), " is damaged: the numbers ", in_quotes(key),
                   " are missing.");
  }
  return contents;
}

std::optional<Tensor> TorchFile::tensor(const Value& value, const std::string& where) const {
  if (value.kind != Kind::kObject) return std::nullopt;
  const std::string& function = object_.at(value.items[0]).text;
  const Value& arguments = object_.at(value.items[1]);
  // A parameter, perhaps with attributes of its own (_rebuild_parameter_with_state).
  if (function.starts_with("torch._utils _rebuild_parameter")) {
    const Value* data = item_of(object_, arguments, 0);
    // A parameter inside a parameter does not occur, so it is no tensor; a damaged file may hold itself.
    const bool is_tensor = data != nullptr && data->kind == Kind::kObject &&
                           object_.at(data->items[0]).text == "torch._utils _rebuild_tensor_v2";
    return is_tensor ? tensor(*data, where) : std::nullopt;
  }
  if (function != "torch._utils _rebuild_tensor_v2") return std::nullopt;
  const Value* storage_id = item_of(object_, arguments, 0);
  const Value* offset = item_of(object_, arguments, 1);
  const std::string* key = storage_id == nullptr ? nullptr : storage_key(object_, *storage_id);
  require<Error>(key != nullptr && offset != nullptr && offset->kind == Kind::kInteger && offset->integer >= 0, where,
                 " cannot be read.");
  const Storage& storage = storages_.at(*key);
  const auto first = static_cast<std::uint64_t>(offset->integer);
  require<Error>(first <= storage.count, where, " has a shape that does not fit its bytes.");
  const std::uint64_t element = element_bytes(storage.element);
  Tensor tensor{.element = storage.element,
                .shape = integers_of(object_, item_of(object_, arguments, 2), where),
                .strides = integers_of(object_, item_of(object_, arguments, 3), where),
                .bytes = part_of(storage.bytes, 0, storage.count * element),
                .begin = first * element};
  return strided_tensor(std::move(tensor), where);
}

Tensors TorchFile::tensors(const Value& dictionary) const {
  require<Error>(dictionary.kind == Kind::kDict, name_, " has no dictionary of tensors where one is expected.");
  Tensors tensors;
  // If a key was set twice, the last value counts. A key that the entries share is looked at once.
  std::unordered_set<Pickle::Ref> seen;
  for (std::size_t i = dictionary.items.size(); i >= 2; i -= 2) {
    const Value& key = object_.at(dictionary.items[i - 2]);
    if (key.kind != Kind::kText || !seen.insert(dictionary.items[i - 2]).second) continue;
    auto found = tensor(object_.at(dictionary.items[i - 1]), name_ + ": the tensor " + in_quotes(key.text));
    if (found) add_tensor(tensors, key.text, std::move(*found), name_);
  }
  return tensors;
}

}  // namespace dragoman::model::foreign
