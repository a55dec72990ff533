// Reads what SentencePiece's model file contains but its library does not expose, and gives a model other pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/text/tokenizer.h"

namespace dragoman::text {

enum class PieceKind : std::uint8_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

struct Piece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::kNormal;
};

struct ModelFile {
  TokenizerKind kind = TokenizerKind::kUnigram;
  bool byte_fallback = false;
  std::vector<Piece> pieces;
  std::string first = {};     // the piece that every sentence begins with; usually empty
  std::uint64_t unknown = 0;  // so many pieces at the end of the list stand for <unk>
  bool has_end = true;        // whether sentences end with </s>
};

// Reads the file, which is a protocol buffer. Throws an Error that begins with `name` in quotes if the bytes are no
// model, or if the library would read beyond its tables when it uses the model.
ModelFile read_model_file(std::string_view bytes, const std::string& name);

// How many pieces the file has, without reading them. Throws an Error as read_model_file() does.
std::uint64_t count_pieces(std::string_view bytes, const std::string& name);

// The file with these pieces instead of its own, which keeps its kind and its normalisation. The ids of pieces are
// their places in the list. The first four are our special tokens: <pad>, <s>, </s> and <unk>. Throws an Error that
// begins with `name` in quotes if the bytes are no model.
std::string with_pieces(std::string_view bytes, const std::vector<Piece>& pieces, const std::string& name);

// The same model for sentences that all begin with this piece, such as the code of a language (Tokenizer::first). It is
// stored in a field of our own, which SentencePiece ignores, so that it stays with the vocabulary.
std::string with_first_piece(std::string bytes, std::string_view piece);

// The same model for a vocabulary that lacks the last `count` pieces: text is cut into them, but their ids become that
// of <unk>. Stored as the first piece is.
std::string with_unknown_pieces(std::string bytes, std::uint64_t count);

// The same model for sentences that do not end with </s>, such as the sources of OpenNMT (Tokenizer::with_end). Stored
// as the first piece is.
std::string without_end(std::string bytes);

}  // namespace dragoman::text
