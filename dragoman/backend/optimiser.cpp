#include "dragoman/backend/optimiser.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

void OptimiserKernels::update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const {
  require<ShapeError>(scale.count() == 1 && losses.contiguous() && (!squares || squares.count() == 1),
                      "update_scale: the scale is ", scale.shape(), ", losses ", losses.shape(), ", squares ",
                      squares.shape());
  do_update_scale(losses, squares, clip, scale);
}

void OptimiserKernels::adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
                            Array& copy) const {
  const std::int64_t count = theta.count();
  require<ShapeError>(
      g.count() == count && m.count() == count && v.count() == count && (!copy || copy.count() == count), "adam: g is ",
      g.shape(), ", theta ", theta.shape(), ", m ", m.shape(), ", v ", v.shape(), ", the copy ", copy.shape());
  require<ShapeError>(
      g.contiguous() && theta.contiguous() && m.contiguous() && v.contiguous() && (!copy || copy.contiguous()),
      "adam: g, theta, m, v and the copy must be contiguous");
  do_adam(g, scale, step, theta, m, v, copy);
}

void OptimiserKernels::nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                                Array& copy) const {
  const std::int64_t count = theta.count();
  require<ShapeError>(g.count() == count && v.count() == count && (!copy || copy.count() == count), "nesterov: g is ",
                      g.shape(), ", theta ", theta.shape(), ", v ", v.shape(), ", the copy ", copy.shape());
  require<ShapeError>(g.contiguous() && theta.contiguous() && v.contiguous() && (!copy || copy.contiguous()),
                      "nesterov: g, theta, v and the copy must be contiguous");
  do_nesterov(g, scale, step, theta, v, copy);
}

void OptimiserKernels::moving_average(const Array& x, const Array& scale, double decay, Array& mean) const {
  require<ShapeError>(x.count() == mean.count() && x.contiguous() && mean.contiguous(), "moving_average: x is ",
                      x.shape(), ", its mean ", mean.shape(), "; both must be contiguous");
  do_moving_average(x, scale, decay, mean);
}

}  // namespace dragoman
