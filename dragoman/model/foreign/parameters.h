// Where the parameters of our models are in another program's file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/model/foreign/tensor.h"

namespace dragoman::model::foreign {

// Whose names the tensors have. MarianMT and M2M100 in Transformers have the same.
enum class Origin : std::uint8_t { kTransformers, kCTranslate2, kFairseq };

// Where a parameter is in a file: a tensor, or one of several equal parts of its rows.
struct Place {
  std::string tensor;
  int part = 0, parts = 1;
  bool operator==(const Place&) const = default;
};

// What the rows of a parameter belong to. The words of other programs have other ids than ours (VocabularyPlan).
enum class Rows : std::uint8_t {
  kOther,
  kSourceWords,  // also for an embedding that both languages share
  kTargetWords,
  kOutputBias,  // one value for each word; 0 if the file does not have it
};

// Which of our dimensions of a parameter runs over the channels of the network's width, if one does. Vectors have
// columns. If the channels of all parameters are put into another order, the network computes the same.
enum class Channels : std::uint8_t { kNone, kRows, kColumns };

struct Parameter {
  std::string name;           // ours
  std::vector<Place> places;  // the first is where a file of today has it; the others are those of older files
  // The other programs store a matrix as [out, in], and we as [in, out]. Embeddings have a row for each word in both.
  bool is_transposed = false;
  Rows rows = Rows::kOther;
  Channels channels = Channels::kNone;
};

// Whether the parameter is in one of its places.
bool has_parameter(const Tensors& tensors, const Parameter& parameter);
// A parameter in our order of dimensions. Throws an Error that begins with `where` if it is in none of its places, or
// if the tensor there does not have these parts.
Tensor parameter_tensor(const Tensors& tensors, const Parameter& parameter, std::string_view where);

}  // namespace dragoman::model::foreign
