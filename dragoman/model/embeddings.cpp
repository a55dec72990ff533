#include "dragoman/model/embeddings.h"

#include <algorithm>

namespace dragoman::model {
namespace {

constexpr std::int64_t kVocabularyRows = 128;  // the rows of a matrix are padded to a multiple of this

params::Parameter matrix(std::int64_t V, const EmbeddingSizes& sizes) {
  return params::Parameter({V, sizes.width}, sizes.initial)
      .rounded_rows(kVocabularyRows)
      .used_as(params::Use::kVocabulary);
}

}  // namespace

Embeddings::Embeddings(const EmbeddingSizes& sizes) {
  if (sizes.tie == Tie::kThreeWay) {
    E = matrix(sizes.V_target, sizes);
    return;
  }
  E_source = matrix(sizes.V_source, sizes);
  E_target = matrix(sizes.V_target, sizes);
  if (sizes.tie == Tie::kNone) E_output = matrix(sizes.V_target, sizes);
}

OutputProjection Embeddings::projection(const params::Parameter& b) const {
  return {output().tensor(), b.tensor(), output().packed()};
}

void Embeddings::parameters(params::ParameterVisitor& visit) {
  visit("E", E);
  visit("E_source", E_source);
  visit("E_target", E_target);
  visit("E_output", E_output);
}

std::vector<float> first_rows(Backend& on, const params::Parameter& table, std::int64_t rows, std::int64_t first) {
  const ArenaScope scratch(on.arena());
  const Array& all = table.tensor().array();
  const Array some = all.row_range(first, std::min(rows, all.rows() - first));
  const Array staged = on.empty(some.shape(), DType::kFloat32);
  on.scaled(some, 1.0, Sink::overwrite(staged));
  std::vector<float> values(static_cast<std::size_t>(staged.count()));
  on.copy_out(staged, values.data());
  return values;
}

std::int32_t start_token(DecoderStart start) {
  switch (start) {
    case DecoderStart::kBos: return kBos;
    case DecoderStart::kEos: return kEos;
    case DecoderStart::kZeroVector: return kPad;  // its embedding is the zero vector
  }
  return kBos;
}

}  // namespace dragoman::model
