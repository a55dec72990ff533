// Helpers for tests and fuzzers of the readers of other programs' files: writers of small files, and a test with
// damaged copies of a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/crc32.h"

namespace dragoman::model::foreign {

// The bytes of a number, the lowest first.
template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// A member of a zip file. If `packed` is given, it is the contents packed by deflate.
struct ZipMember {
  std::string name, contents, packed = {};
};

// A stream of deflate that holds the text in a block of its own, not compressed.
inline std::string deflated(const std::string& text) {
  const auto size = static_cast<std::uint16_t>(text.size());
  return "\x01" + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) + text;
}

// A member whose contents are `pattern` and then its repetitions, 258 bytes each, packed with the fixed code of
// deflate: as small as deflate can make them. The pattern has at most 16,384 bytes.
inline ZipMember repeated(const std::string& name, const std::string& pattern, std::size_t repetitions) {
  std::string packed;
  int bits = 0;                                      // that the last byte has
  const auto add = [&](unsigned value, int count) {  // the lowest bit first
    for (int i = 0; i < count; ++i, bits = (bits + 1) % 8) {
      if (bits == 0) packed += '\0';
      packed.back() = static_cast<char>(packed.back() | (value >> i & 1) << bits);
    }
  };
  const auto add_code = [&](unsigned code, int count) {  // the highest bit first
    for (int i = count; i-- > 0;) add(code >> i & 1, 1);
  };
  add(1 | 1 << 1, 3);  // the last block, with the fixed code
  for (const char c : pattern) {
    const auto byte = static_cast<unsigned char>(c);
    byte < 144 ? add_code(0x30u + byte, 8) : add_code(0x190u + byte - 144, 9);
  }
  // The distance is the pattern's size: a code for its two highest bits, and the lower bits.
  const auto distance = static_cast<unsigned>(pattern.size()) - 1;
  int lower = 0;
  while (distance >> lower > 3) ++lower;
  const unsigned code = distance < 4 ? distance : static_cast<unsigned>(2 * lower) + (distance >> lower);
  for (std::size_t i = 0; i < repetitions; ++i) {
    add_code(0xC5, 8);  // 258 bytes again
    add_code(code, 5);
    add(distance, lower);
  }
  add(0, 7);
  std::string contents = pattern;
  contents.reserve(pattern.size() + 258 * repetitions);
  while (contents.size() < pattern.size() + 258 * repetitions) {
    contents.append(contents, contents.size() - pattern.size(), pattern.size());
  }
  contents.resize(pattern.size() + 258 * repetitions);
  return {name, std::move(contents), std::move(packed)};
}

// A zip file. With `large`, sizes and places are in the extension for large files, as PyTorch writes them for files of
// more than 4 GiB.
inline std::string zip_of(const std::vector<ZipMember>& members, bool large = false) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  std::string file, directory;
  for (const ZipMember& member : members) {
    const std::string& data = member.packed.empty() ? member.contents : member.packed;
    const U64 begin = file.size();
    const auto short_or = [&](U64 size) { return bytes_of(large ? U32{0xFFFFFFFF} : static_cast<U32>(size)); };
    const std::string extra = large ? bytes_of(U16{1}) + bytes_of(U16{24}) + bytes_of(U64{member.contents.size()}) +
                                          bytes_of(U64{data.size()}) + bytes_of(begin)
                                    : "";
    // Version, flags, method, time, date, checksum, sizes, length of the name: in both headers.
    const std::string common = bytes_of(U16{20}) + bytes_of(U16{0}) +
                               bytes_of(static_cast<U16>(member.packed.empty() ? 0 : 8)) + bytes_of(U32{0}) +
                               bytes_of(crc32(member.contents)) + short_or(data.size()) +
                               short_or(member.contents.size()) + bytes_of(static_cast<U16>(member.name.size()));
    file += "PK\3\4" + common + bytes_of(U16{3}) + member.name + "xyz" + data;
    directory += "PK\1\2" + bytes_of(U16{20}) + common + bytes_of(static_cast<U16>(extra.size())) + bytes_of(U16{0}) +
                 bytes_of(U64{0}) + short_or(begin) + member.name + extra;
  }
  const U64 begin = file.size(), size = directory.size(), count = members.size();
  file += directory;
  if (large) {
    const U64 end = file.size();
    file += "PK\6\6" + bytes_of(U64{44}) + bytes_of(U32{0}) + bytes_of(U64{0}) + bytes_of(count) + bytes_of(count) +
            bytes_of(size) + bytes_of(begin);
    file += "PK\6\7" + bytes_of(U32{0}) + bytes_of(end) + bytes_of(U32{1});
  }
  const auto entries = static_cast<U16>(large ? 0xFFFF : count);
  const auto short_or = [&](U64 number) { return bytes_of(large ? U32{0xFFFFFFFF} : static_cast<U32>(number)); };
  return file + "PK\5\6" + bytes_of(U32{0}) + bytes_of(entries) + bytes_of(entries) + short_or(size) + short_or(begin) +
         bytes_of(U16{0});
}

// Parts of pickles, as Python's pickle module writes them in protocol 2.
namespace pickled {

inline std::string text(std::string_view text) {
  return "X" + bytes_of(static_cast<std::uint32_t>(text.size())) + std::string(text);
}
inline std::string integer(std::int32_t value) { return "J" + bytes_of(value); }
inline std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
inline std::string integers(const std::vector<int>& values) {
  std::vector<std::string> items;
  for (const int value : values) items.push_back(integer(value));
  return tuple(items);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
// Keys and values one after the other.
inline std::string dict(const std::vector<std::string>& items) {
  std::string all = "}(";
  for (const std::string& item : items) all += item;
  return all + "u";
}
inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }

}  // namespace pickled

// A tensor of a checkpoint of PyTorch. Tensors with the same key share their numbers.
struct SavedTensor {
  std::string name, storage_class, key;
  std::string numbers;  // as bytes
  int count = 0;        // of the numbers
  int offset = 0;
  std::vector<int> shape, strides;
};

// The dictionary of these tensors, by their names.
inline std::string pickled_tensors(const std::vector<SavedTensor>& tensors, bool legacy) {
  using namespace pickled;
  std::vector<std::string> items;
  for (const SavedTensor& tensor : tensors) {
    std::vector<std::string> id{text("storage"), global("torch", tensor.storage_class), text(tensor.key), text("cpu"),
                                integer(tensor.count)};
    if (legacy) id.emplace_back("N");
    items.push_back(text(tensor.name));
    items.push_back(global("torch._utils", "_rebuild_tensor_v2") +
                    tuple({tuple(id) + "Q", integer(tensor.offset), integers(tensor.shape), integers(tensor.strides),
                           "\x89", global("collections", "OrderedDict") + ")R"}) +
                    "R");
  }
  return dict(items);
}

// The parts that tensors may share: the function that makes them (place 0), a storage of two numbers (1), and a shape
// of so many ones (2).
inline std::string pickled_shared_parts(std::size_t sizes) {
  using namespace pickled;
  using namespace std::string_literals;
  const std::string id = tuple({text("storage"), global("torch", "FloatStorage"), text("0"), text("cpu"), integer(2)});
  std::string parts = "(" + global("torch._utils", "_rebuild_tensor_v2") + "q\0"s + id + "Qq\1(";
  for (std::size_t i = 0; i < sizes; ++i) parts += "K\1";
  return parts + "tq\2t";
}
// A tensor of these parts.
inline std::string pickled_shared_tensor() {
  using namespace std::string_literals;
  return "h\0(h\1K\0h\2h\2\x89)tR"s;
}
// A dictionary of `count` such tensors under names of their own.
inline std::string pickled_shared_tensors(std::size_t sizes, std::size_t count) {
  std::string dictionary = "}(" + pickled::text("parts") + pickled_shared_parts(sizes);
  for (std::size_t i = 0; i < count; ++i) {
    dictionary += pickled::text(std::to_string(i));
    dictionary += pickled_shared_tensor();
  }
  return dictionary + "u";
}

inline std::string torch_zip_of(const std::vector<SavedTensor>& tensors) {
  std::vector<ZipMember> members{{"model/data.pkl", pickled::whole(pickled_tensors(tensors, false))},
                                 {"model/byteorder", "little"}};
  for (const SavedTensor& tensor : tensors) {
    if (!tensor.numbers.empty()) members.push_back({"model/data/" + tensor.key, tensor.numbers});
  }
  return zip_of(members);
}

inline std::string torch_legacy_of(const std::vector<SavedTensor>& tensors) {
  using namespace pickled;
  std::string keys = "](", numbers;
  for (const SavedTensor& tensor : tensors) {
    if (tensor.numbers.empty()) continue;
    keys += text(tensor.key);
    numbers += bytes_of(std::int64_t{tensor.count}) + tensor.numbers;
  }
  return whole("\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19") + whole("M\xE9\x03") +
         whole(dict({text("little_endian"), "\x88"})) + whole(pickled_tensors(tensors, true)) + whole(keys + "e") +
         numbers;
}

// Two tensors: a [2, 3] with the numbers 0 to 5, and its transposition, which shares them; and b [2] of float16.
inline std::vector<SavedTensor> saved_tensors() {
  return {{"a", "FloatStorage", "0", bytes_of(std::vector<float>{0, 1, 2, 3, 4, 5}), 6, 0, {2, 3}, {3, 1}},
          {"a.T", "FloatStorage", "0", "", 6, 0, {3, 2}, {1, 3}},
          {"b", "HalfStorage", "1", bytes_of(std::vector<std::uint16_t>{0x3C00, 0xC000, 0x3800}), 3, 1, {2}, {1}}};
}

// A variable of CTranslate2. Kinds: 0 float32, 1 int8, 2 int16, 3 int32, 4 float16, 5 bfloat16.
struct SavedVariable {
  std::string name;
  std::uint8_t kind = 0;
  std::vector<std::uint32_t> shape;
  std::string numbers;  // as bytes
};

// model.bin. Versions before 4 have kinds 0 to 2 only.
inline std::string ctranslate2_of(std::uint32_t version, const std::vector<SavedVariable>& variables,
                                  const std::vector<std::pair<std::string, std::string>>& aliases = {}) {
  const auto string = [](const std::string& text) {
    return bytes_of(static_cast<std::uint16_t>(text.size() + 1)) + text + '\0';
  };
  std::string file = bytes_of(version);
  if (version >= 2) file += string("TransformerSpec") + bytes_of(std::uint32_t{7});
  file += bytes_of(static_cast<std::uint32_t>(variables.size()));
  for (const SavedVariable& variable : variables) {
    file += string(variable.name) + static_cast<char>(variable.shape.size()) + bytes_of(variable.shape);
    const auto bytes = static_cast<std::uint32_t>(variable.numbers.size());
    if (version >= 4) {
      file += static_cast<char>(variable.kind) + bytes_of(bytes);
    } else {
      const std::uint32_t element = variable.kind == 0 ? 4 : variable.kind == 1 ? 1 : 2;
      file += static_cast<char>(element) + bytes_of(bytes / element);
    }
    file += variable.numbers;
  }
  if (version < 3) return file;
  file += bytes_of(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases) file += string(alias) + string(name);
  return file;
}

// A variable of each kind that versions 1 to 6 can hold.
inline std::vector<SavedVariable> saved_variables() {
  return {{"decoder/projection/weight", 1, {2, 3}, bytes_of(std::vector<std::int8_t>{127, -64, 0, 1, 2, -127})},
          {"decoder/projection/weight_scale", 0, {2}, bytes_of(std::vector<float>{127, 254})},
          {"encoder/layer_norm/gamma", 0, {2}, bytes_of(std::vector<float>{0.5f, -1})},
          {"encoder/num_heads", 2, {}, bytes_of(std::int16_t{8})},
          {"eos_token", 1, {4}, "</s>"}};
}

}  // namespace dragoman::model::foreign
