#include "dragoman/backend/loss.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void LossKernels::smoothed_cross_entropy(const Array& Y, const Array& E, const Array& b, const Array& targets,
                                         const LabelSmoothing& smoothing, double weight, std::int64_t chunk,
                                         Array& losses, Array& nll, Sink dY, Sink dE, Sink db) const {
  const std::int64_t R = Y.rows(), V = E.rows();
  require<ShapeError>(Y.cols() == E.cols() && targets.count() == R && losses.count() == R && nll.count() == R &&
                          (!b || b.count() == V) && chunk > 0,
                      "smoothed_cross_entropy: Y is ", Y.shape(), ", E ", E.shape(), ", b ", b.shape(), ", targets ",
                      targets.shape(), ", losses ", losses.shape(), ", nll ", nll.shape(), "; chunks of ", chunk,
                      " rows");
  require<ShapeError>(fits(dY, Y) && fits(dE, E) && (!db.wanted() || db.array.count() == V),
                      "smoothed_cross_entropy: Y is ", Y.shape(), ", E ", E.shape(), ", dY ", dY.array.shape(), ", dE ",
                      dE.array.shape(), ", db ", db.array.shape());
  do_smoothed_cross_entropy(Y, E, b, targets, smoothing, weight, chunk, losses, nll, dY, dE, db);
}

}  // namespace dragoman
