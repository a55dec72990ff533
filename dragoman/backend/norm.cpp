#include "dragoman/backend/norm.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

void check_norm(const char* op, const Array& x, const Array& gamma, const Array& mean, const Array& rstd) {
  require<ShapeError>(gamma.count() == x.cols(), op, ": x is ", x.shape(), ", gamma ", gamma.shape());
  require<ShapeError>(mean.count() == x.rows() && rstd.count() == x.rows(), op, ": x is ", x.shape(), ", mean ",
                      mean.shape(), ", rstd ", rstd.shape());
}

void check_forward(const char* op, const Array& x, const Array& gamma, const Array& beta, const Array& y,
                   const Array& mean, const Array& rstd) {
  require<ShapeError>(gamma.count() == x.cols() && beta.count() == x.cols(), op, ": x is ", x.shape(), ", gamma ",
                      gamma.shape(), ", beta ", beta.shape());
  check_norm(op, x, gamma, mean, rstd);
  check_same(op, x, y);
}

void check_gradients(const char* op, const Array& dy, const Array& s, const Sink& dx, const Sink& dgamma,
                     const Sink& dbeta) {
  require<ShapeError>((!dy || same_extents(dy, s)) && fits(dx, s), op, ": x is ", s.shape(), ", dy ", dy.shape(),
                      ", dx ", dx.array.shape());
  for (const Sink* sink : {&dgamma, &dbeta}) {
    require<ShapeError>(!sink->wanted() || sink->array.count() == s.cols(), op, ": x is ", s.shape(),
                        ", dgamma or dbeta ", sink->array.shape());
  }
}

// mean and variance of each column of x.
void check_moments(const char* op, const Array& x, const Array& mean, const Array& variance) {
  require<ShapeError>(mean.count() == x.cols() && variance.count() == x.cols(), op, ": x is ", x.shape(), ", mean ",
                      mean.shape(), ", variance ", variance.shape());
}

void check_columns(const char* op, const Array& v, const Array& g, const Array& lengths) {
  require<ShapeError>(g.count() == v.cols() && lengths.count() == v.cols(), op, ": v is ", v.shape(), ", g ", g.shape(),
                      ", lengths ", lengths.shape());
}

}  // namespace

void NormKernels::layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                             Array& rstd) const {
  check_forward("layer_norm", x, gamma, beta, y, mean, rstd);
  do_layer_norm(x, gamma, beta, eps, y, mean, rstd);
}

void NormKernels::layer_norm_backward(const Array& dy, const Array& x, const Array& gamma, const Array& mean,
                                      const Array& rstd, Sink dx, Sink dgamma, Sink dbeta) const {
  check_norm("layer_norm_backward", x, gamma, mean, rstd);
  check_gradients("layer_norm_backward", dy, x, dx, dgamma, dbeta);
  do_add_norm_backward({}, dy, x, {}, {}, gamma, mean, rstd, dx, {}, dgamma, dbeta);
}

void NormKernels::add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout,
                           const Array& gamma, const Array& beta, double eps, Array& s, Array& y, Array& mean,
                           Array& rstd) const {
  require<ShapeError>(same_extents(x, a) && same_extents(x, s), "add_norm: x is ", x.shape(), ", a ", a.shape(), ", s ",
                      s.shape());
  check_forward("add_norm", x, gamma, beta, y, mean, rstd);
  if (dropout.on()) check_segments("add_norm", x, segments);
  do_add_norm(x, a, segments, dropout, gamma, beta, eps, s, y, mean, rstd);
}

void NormKernels::add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                                    const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd,
                                    Sink dx, Sink da, Sink dgamma, Sink dbeta) const {
  check_norm("add_norm_backward", s, gamma, mean, rstd);
  check_gradients("add_norm_backward", dy, s, dx, dgamma, dbeta);
  require<ShapeError>((!ds || same_extents(ds, s)) && fits(da, s), "add_norm_backward: s is ", s.shape(), ", ds ",
                      ds.shape(), ", da ", da.array.shape());
  if (da.wanted() && dropout.on()) check_segments("add_norm_backward", s, segments);
  do_add_norm_backward(ds, dy, s, segments, dropout, gamma, mean, rstd, dx, da, dgamma, dbeta);
}

void NormKernels::batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const {
  check_moments("batch_statistics", x, mean, variance);
  require<ShapeError>(padding >= 0 && x.rows() + padding > 0, "batch_statistics: x is ", x.shape(), " with ", padding,
                      " rows of padding");
  do_batch_statistics(x, padding, mean, variance);
}

void NormKernels::batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma,
                             const Array& beta, double eps, Array& y) const {
  check_moments("batch_norm", x, mean, variance);
  require<ShapeError>(gamma.count() == x.cols() && beta.count() == x.cols(), "batch_norm: x is ", x.shape(), ", gamma ",
                      gamma.shape(), ", beta ", beta.shape());
  check_same("batch_norm", x, y);
  do_batch_norm(x, mean, variance, gamma, beta, eps, y);
}

void NormKernels::batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                                      const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma,
                                      Sink dbeta) const {
  if (!dx.wanted() && !dgamma.wanted() && !dbeta.wanted()) return;
  check_moments("batch_norm_backward", x, mean, variance);
  require<ShapeError>(gamma.count() == x.cols(), "batch_norm_backward: x is ", x.shape(), ", gamma ", gamma.shape());
  check_gradients("batch_norm_backward", dy, x, dx, dgamma, dbeta);
  do_batch_norm_backward(dy, x, mean, variance, gamma, eps, N, dx, dgamma, dbeta);
}

void NormKernels::update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                            const Array& running_mean, const Array& running_variance) const {
  const std::int64_t d = mean.count();
  require<ShapeError>(variance.count() == d && running_mean.count() == d && running_variance.count() == d && N > 0,
                      "update_running_statistics: mean is ", mean.shape(), ", variance ", variance.shape(),
                      ", running mean ", running_mean.shape(), ", running variance ", running_variance.shape(),
                      ", rows ", N);
  do_update_running_statistics(mean, variance, N, share, running_mean, running_variance);
}

void NormKernels::weight_norm(const Array& v, const Array& g, Array& W, Array& lengths) const {
  check_columns("weight_norm", v, g, lengths);
  require<ShapeError>(same_extents(v, W), "weight_norm: v is ", v.shape(), " but W is ", W.shape());
  do_weight_norm(v, g, W, lengths);
}

void NormKernels::weight_norm_backward(const Array& dW, const Array& v, const Array& g, const Array& lengths, Sink dv,
                                       Sink dg) const {
  check_columns("weight_norm_backward", v, g, lengths);
  require<ShapeError>(same_extents(dW, v) && fits(dv, v), "weight_norm_backward: dW is ", dW.shape(), ", v ", v.shape(),
                      ", dv ", dv.array.shape());
  require<ShapeError>(!dg.wanted() || dg.array.count() == v.cols(), "weight_norm_backward: v is ", v.shape(), ", dg ",
                      dg.array.shape());
  if (!dv.wanted() && !dg.wanted()) return;
  do_weight_norm_backward(dW, v, g, lengths, dv, dg);
}

}  // namespace dragoman
