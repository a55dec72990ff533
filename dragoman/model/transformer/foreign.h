// The Transformer of other programs as ours: the settings that describe it, and where each of our parameters is in
// their files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/tensor.h"
#include "dragoman/model/transformer/config.h"

namespace dragoman::model::transformer {

// Whose names the tensors have. MarianMT and M2M100 in Transformers have the same.
enum class Origin : std::uint8_t { kTransformers, kCTranslate2, kFairseq };

// The settings of the network. Throws a UsageError if they are not valid, for example if a size is too large.
TransformerConfig config_of(const foreign::Network& network);

// Where a parameter is in a file: a tensor, or one of several equal parts of its rows.
struct Place {
  std::string tensor;
  int part = 0, parts = 1;
  bool operator==(const Place&) const = default;
};

struct ForeignParameter {
  std::string name;           // ours
  std::vector<Place> places;  // the first is where a file of today has it; the others are those of older files
  // The other programs store a matrix as [out, in], and we as [in, out]. Embeddings have a row for each word in both.
  bool is_transposed = false;
};

// All parameters of the model.
std::vector<ForeignParameter> foreign_parameters(const TransformerConfig& config, Origin origin);

// The values of a parameter in our order. Throws an Error that begins with `where` if it is in none of its places, or
// if the tensor there does not have these parts.
std::vector<float> read_parameter(const foreign::Tensors& tensors, const ForeignParameter& parameter,
                                  std::string_view where);

}  // namespace dragoman::model::transformer
