// The embeddings of a model and its output projection, which may share matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter.h"

namespace dragoman::model {

struct EmbeddingSizes {
  std::int64_t V_source = 0, V_target = 0;
  std::int64_t width = 0;
  Tie tie = Tie::kThreeWay;
  params::Initial initial;
};

// `tie` says which matrices exist. If E exists, it is the source embedding, the target embedding and the output
// projection. Otherwise E_source and E_target exist, and E_target is also the output projection unless E_output exists.
struct Embeddings {
  params::Parameter E, E_source, E_target, E_output;

  explicit Embeddings(const EmbeddingSizes& sizes);

  const params::Parameter& source() const { return E ? E : E_source; }
  const params::Parameter& target() const { return E ? E : E_target; }
  const params::Parameter& output() const { return E_output ? E_output : target(); }
  // `b` is the bias of the output projection; optional.
  OutputProjection projection(const params::Parameter& b) const;

  void parameters(params::ParameterVisitor& visit);
};

// Rows of a table of learned positions as floats, at most `rows`, from row `first` on; see
// Seq2Seq::position_encodings().
std::vector<float> first_rows(Backend& on, const params::Parameter& table, std::int64_t rows, std::int64_t first = 0);

// The token that the decoder reads before the first word.
std::int32_t start_token(DecoderStart start);

}  // namespace dragoman::model
