#include "dragoman/text/model_file.h"

#include <bit>
#include <cmath>
#include <optional>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

// Field numbers of sentencepiece_model.proto.
constexpr std::uint64_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3, kSelfTest = 4, kDenormalizerSpec = 5;
constexpr std::uint64_t kFirstPiece = 1000, kUnknownPieces = 1001,
                        kWithoutEnd = 1002;  // our own; numbers from 200 on are for others
constexpr std::uint64_t kPieceText = 1, kPieceScore = 2, kPieceKind = 3;
constexpr std::uint64_t kModelType = 3, kVocabularySize = 4, kByteFallback = 35;
// The ids of <unk>, <s>, </s> and <pad>, and the texts of their pieces.
constexpr std::uint64_t kUnkId = 40, kBosId = 41, kEosId = 42, kPadId = 43, kUnkPiece = 45, kBosPiece = 46,
                        kEosPiece = 47, kPadPiece = 48;
constexpr std::uint64_t kCharacterMap = 2;

struct Malformed {};

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

struct Field {
  std::uint64_t number;
  std::uint64_t value;     // if it is a number
  std::string_view bytes;  // if it is a string or message
  std::string_view whole;  // the field with its key
};

// Iterates over the fields of one message. A field begins with a key: its number and, in the lowest three bits, the
// type of its value.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const std::string_view begin = rest_;
    const std::uint64_t key = varint();
    Field field{.number = key >> 3, .value = 0, .bytes = {}, .whole = {}};
    switch (key & 7) {
      case 0: field.value = varint(); break;
      case 1: take(8); break;  // we use no field of this type
      case 2: field.bytes = take(varint()); break;
      case 5: field.value = little_endian(take(4)); break;
      default: throw Malformed{};
    }
    field.whole = begin.substr(0, begin.size() - rest_.size());
    return field;
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Malformed{};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    throw Malformed{};
  }

  std::string_view rest_;
};

Piece read_piece(std::string_view message) {
  Piece piece;
  Fields fields(message);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == kPieceText) piece.text = field->bytes;
    if (field->number == kPieceScore) piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
    if (field->number == kPieceKind && field->value >= 1 && field->value <= 6) {
      piece.kind = static_cast<PieceKind>(field->value);
    }
  }
  if (!std::isfinite(piece.score)) throw Malformed{};
  // The library looks pieces up as zero-terminated strings, and traces show them as JSON.
  if (piece.text.find('\0') != std::string::npos || first_invalid_utf8(piece.text)) throw Malformed{};
  return piece;
}

void read_trainer_spec(std::string_view message, ModelFile& model) {
  constexpr TokenizerKind kKinds[] = {TokenizerKind::kUnigram, TokenizerKind::kBpe, TokenizerKind::kWord,
                                      TokenizerKind::kChar};
  Fields fields(message);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == kModelType && field->value >= 1 && field->value <= 4) model.kind = kKinds[field->value - 1];
    if (field->number == kByteFallback) model.byte_fallback = field->value != 0;
  }
}

// The normalisation rules: the size of a double array (Darts), the array, and the texts that its values point into. The
// library walks the array without checking bounds, so no step or value may lead out of it. A unit of the array is a
// value (bit 31 set) or a node. Bits 10 to 30 of a node are an offset, in steps of 256 if bit 9 is set. From node i the
// library steps to i ^ offset ^ byte for the next byte of the text. If bit 8 is set, the node has a value, which is at
// i ^ offset.
void check_character_map(std::string_view map) {
  if (map.empty()) return;
  if (map.size() < 4) throw Malformed{};
  const std::size_t array_bytes = little_endian(map);
  map.remove_prefix(4);
  if (array_bytes >= map.size() || array_bytes % 1024 != 0 || array_bytes == 0) throw Malformed{};
  const std::string_view array = map.substr(0, array_bytes), texts = map.substr(array_bytes);
  if (texts.back() != '\0') throw Malformed{};

  constexpr std::uint32_t kIsValue = 1u << 31, kHasValue = 1u << 8, kAnyByte = 0xFF;
  const std::size_t units = array_bytes / 4;
  for (std::size_t at = 0; at < units; ++at) {
    const std::uint32_t unit = little_endian(array.substr(4 * at));
    if ((unit & kIsValue) != 0) continue;
    const std::uint32_t offset = (unit >> 10) << ((unit & (1u << 9)) >> 6);
    const std::size_t next = at ^ offset;
    if ((next | kAnyByte) >= units) throw Malformed{};
    if ((unit & kHasValue) == 0) continue;
    const std::uint32_t value = little_endian(array.substr(4 * next));
    if ((value & kIsValue) == 0 || (value & ~kIsValue) >= texts.size()) throw Malformed{};
  }
}

void read_normalizer_spec(std::string_view message) {
  Fields fields(message);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == kCharacterMap) check_character_map(field->bytes);
  }
}

void append_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}

void append_number(std::string& message, std::uint64_t field, std::uint64_t value) {
  append_varint(message, field << 3);
  append_varint(message, value);
}

void append_bytes(std::string& message, std::uint64_t field, std::string_view bytes) {
  append_varint(message, field << 3 | 2);
  append_varint(message, bytes.size());
  message += bytes;
}

void append_float(std::string& message, std::uint64_t field, float value) {
  append_varint(message, field << 3 | 5);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) message += static_cast<char>(bits >> shift);
}

void append_piece(std::string& model, const Piece& piece) {
  std::string message;
  append_bytes(message, kPieceText, piece.text);
  append_float(message, kPieceScore, piece.score);
  append_number(message, kPieceKind, static_cast<std::uint64_t>(piece.kind));
  append_bytes(model, kPieces, message);
}

// The settings that describe our special tokens. A second message of these settings overrides the first where both set
// a field.
std::string special_tokens(const std::vector<Piece>& pieces) {
  std::string message;
  append_number(message, kVocabularySize, pieces.size());
  append_number(message, kPadId, kPad);
  append_number(message, kBosId, kBos);
  append_number(message, kEosId, kEos);
  append_number(message, kUnkId, kUnk);
  append_bytes(message, kPadPiece, pieces[kPad].text);
  append_bytes(message, kBosPiece, pieces[kBos].text);
  append_bytes(message, kEosPiece, pieces[kEos].text);
  append_bytes(message, kUnkPiece, pieces[kUnk].text);
  return message;
}

ModelFile read_model(std::string_view bytes) {
  ModelFile model;
  Fields fields(bytes);
  while (const std::optional<Field> field = fields.next()) {
    if (field->number == kPieces) model.pieces.push_back(read_piece(field->bytes));
    if (field->number == kFirstPiece) model.first = field->bytes;
    if (field->number == kUnknownPieces) model.unknown = field->value;
    if (field->number == kWithoutEnd) model.has_end = field->value == 0;
    if (field->number == kTrainerSpec) read_trainer_spec(field->bytes, model);
    if (field->number == kNormalizerSpec || field->number == kDenormalizerSpec) read_normalizer_spec(field->bytes);
  }
  if (model.unknown > model.pieces.size()) throw Malformed{};
  return model;
}

}  // namespace

// If a field occurs twice, the last one counts.
std::string with_first_piece(std::string bytes, std::string_view piece) {
  append_bytes(bytes, kFirstPiece, piece);
  return bytes;
}

std::string with_unknown_pieces(std::string bytes, std::uint64_t count) {
  append_number(bytes, kUnknownPieces, count);
  return bytes;
}

std::string without_end(std::string bytes) {
  append_number(bytes, kWithoutEnd, 1);
  return bytes;
}

namespace {

Error no_model(const std::string& name) {
  return Error(join("'", name, "' is not a SentencePiece model, or is damaged."));
}

}  // namespace

std::uint64_t count_pieces(std::string_view bytes, const std::string& name) {
  try {
    std::uint64_t count = 0;
    Fields fields(bytes);
    while (const std::optional<Field> field = fields.next()) count += field->number == kPieces ? 1 : 0;
    return count;
  } catch (const Malformed&) {
    throw no_model(name);
  }
}

ModelFile read_model_file(std::string_view bytes, const std::string& name) {
  try {
    ModelFile model = read_model(bytes);
    if (!model.pieces.empty()) return model;
  } catch (const Malformed&) {
  }
  throw no_model(name);
}

std::string with_pieces(std::string_view bytes, const std::vector<Piece>& pieces, const std::string& name) {
  read_model_file(bytes, name);  // so that all fields can be read
  std::string model;
  for (const Piece& piece : pieces) append_piece(model, piece);
  Fields fields(bytes);
  while (const std::optional<Field> field = fields.next()) {
    // The examples of the self-test have the old pieces.
    if (field->number != kPieces && field->number != kSelfTest) model += field->whole;
  }
  append_bytes(model, kTrainerSpec, special_tokens(pieces));
  return model;
}

}  // namespace dragoman::text
