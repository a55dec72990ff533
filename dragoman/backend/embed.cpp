#include "dragoman/backend/embed.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void EmbedKernels::embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                         const Dropout& dropout, Array& y) const {
  check_lookup(ids, segments, E.shape(), P, y);
  require<ShapeError>(!dropout.on() || segments.R == y.rows(), "embed: y is ", y.shape(), " but the segments have ",
                      segments.R, " rows");
  do_embed(ids, segments, E, P, scale, dropout, y);
}

void EmbedKernels::embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                                  const Dropout& dropout, Sink dE, Sink dP) const {
  require<ShapeError>(!dE.wanted() || dE.array.cols() == dy.cols(), "embed_backward: dy is ", dy.shape(), ", dE ",
                      dE.array.shape());
  require<ShapeError>(!dE.wanted() || index.starts.count() == index.tokens.count() + 1,
                      "embed_backward: the index has ", index.tokens.count(), " tokens and ", index.starts.count(),
                      " starts; there must be one start more than tokens");
  require<ShapeError>(!dP.wanted() || dP.array.cols() == dy.cols(), "embed_backward: dy is ", dy.shape(), ", dP ",
                      dP.array.shape());
  require<ShapeError>((!dP.wanted() && !dropout.on()) || segments.R == dy.rows(), "embed_backward: dy is ", dy.shape(),
                      " but the segments have ", segments.R, " rows");
  do_embed_backward(dy, index, segments, scale, dropout, dE, dP);
}

}  // namespace dragoman
