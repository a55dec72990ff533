#include "dragoman/ops/embed.h"

#include <vector>

#include "dragoman/base/strings.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"

namespace dragoman::ops {

namespace {

void check_positions(const Tensor& P, const Segments& segments) {
  require<UsageError>(!P || P.dim(0) >= segments.longest, "a sentence of ", segments.longest,
                      " tokens is longer than the ", counted(P ? P.dim(0) : 0, "position"), " of the model.");
}

}  // namespace

Tensor embed(Backend& on, const Tokens& tokens, const PackedMatrix& E, const Tensor& P, double scale) {
  check_positions(P, tokens.segments);
  require<ShapeError>(!will_be_recorded({P}), "embed: packed weights cannot be used while gradients are recorded");
  Array y = on.empty({tokens.segments.R, E.in}, DType::kFloat32);
  on.embed(tokens.ids, tokens.segments, E, array_or_absent(P), scale, y);
  return Tensor(on, y);
}

Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale,
             const Dropout& dropout) {
  const Segments& segments = tokens.segments;
  check_positions(P, segments);
  require<ShapeError>(tokens.index.rows || !will_be_recorded({E, P}),
                      "embed: these tokens have no index, which gradients need");
  Array y = on.empty({segments.R, E.dim(-1)}, E.array().dtype());
  on.embed(tokens.ids, segments, E.array(), array_or_absent(P), scale, dropout, y);

  // Workers with other backends may share E, and record() would return a tensor on E's backend instead of `on`.
  if (!will_be_recorded({E, P})) return Tensor(on, y);
  return record(y, {E, P}, [&on, tokens, scale, dropout](const Array& dy, Sinks& sinks) {
    const auto [dE, dP] = sinks.first<2>();
    on.embed_backward(dy, tokens.index, tokens.segments, scale, dropout, dE, dP);
  });
}

namespace plain {

namespace {

// A matrix whose row r is 1 at column ids[r] and 0 elsewhere. If zero_reserved, the row of id 0 is all zero.
Tensor one_hot(Backend& on, const Array& ids, std::int64_t columns, DType dtype, bool zero_reserved) {
  std::vector<std::int32_t> host(ids.count());
  on.copy_out(ids, host.data());
  Array x = on.empty({ids.count(), columns}, dtype);
  on.fill(x, 0.0);
  for (std::int64_t r = 0; r < ids.count(); ++r) {
    if (zero_reserved && host[r] == kPad) continue;
    Array one = x.row_range(r, 1).columns(host[r], 1);
    on.fill(one, 1.0);
  }
  return Tensor(on, x);
}

}  // namespace

Tensor embed(Backend& on, const Tokens& tokens, const Tensor& E, const Tensor& P, double scale,
             const Dropout& dropout) {
  const DType dtype = E.array().dtype();
  Tensor y = matmul(one_hot(on, tokens.ids, E.dim(0), dtype, true), E) * scale;
  if (P) y = y + matmul(one_hot(on, tokens.segments.position, P.dim(0), dtype, false), P);
  return ops::dropout(y, tokens.segments, dropout);
}

}  // namespace plain

}  // namespace dragoman::ops
