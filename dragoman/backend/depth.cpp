#include "dragoman/backend/depth.h"

#include <algorithm>
#include <initializer_list>

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

bool each_has(std::int64_t count, std::initializer_list<const Array*> statistics) {
  return std::ranges::all_of(statistics, [count](const Array* x) { return x->count() == count; });
}
bool absent_or(const Array& x, std::int64_t count) { return !x || x.count() == count; }
bool unwanted_or(const Sink& dx, std::int64_t count) { return !dx.wanted() || dx.array.count() == count; }

}  // namespace

void DepthKernels::add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                                   Array& y) const {
  check_same("add_coordinates", x, y);
  require<ShapeError>(position.count() == x.rows() && P.cols() == x.cols() && s.count() == x.cols(),
                      "add_coordinates: x is ", x.shape(), ", position ", position.shape(), ", P ", P.shape(), ", s ",
                      s.shape());
  do_add_coordinates(x, position, P, s, scale, y);
}

void DepthKernels::halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest,
                        Array& steps, Array& p, Array& weight, Array& rest_after, Array& running) const {
  require<ShapeError>(w.count() == x.cols() && b.count() == 1, "halt: x is ", x.shape(), ", w ", w.shape(), ", b ",
                      b.shape());
  require<ShapeError>(each_has(x.rows(), {&rest, &steps, &p, &weight, &rest_after, &running}), "halt: x is ", x.shape(),
                      ", rest ", rest.shape(), ", steps ", steps.shape(), ", p ", p.shape(), ", weight ",
                      weight.shape(), ", rest_after ", rest_after.shape(), ", running ", running.shape());
  if (OperationCounter* counter = operations()) counter->add(x.count());
  do_halt(x, w, b, step, rest, steps, p, weight, rest_after, running);
}

void DepthKernels::halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p,
                                 const Array& steps, int t, Sink dx, Sink drest, Array& dlogit) const {
  const std::int64_t R = p.count();
  require<ShapeError>(
      absent_or(dweight, R) && absent_or(drest_after, R) && each_has(R, {&steps, &dlogit}) && unwanted_or(drest, R),
      "halt_backward: p is ", p.shape(), ", dweight ", dweight.shape(), ", drest_after ", drest_after.shape(),
      ", steps ", steps.shape(), ", drest ", drest.array.shape(), ", dlogit ", dlogit.shape());
  require<ShapeError>(!dx.wanted() || (dx.array.rows() == R && dx.array.cols() == w.count()), "halt_backward: p is ",
                      p.shape(), ", w ", w.shape(), ", dx ", dx.array.shape());
  if (OperationCounter* counter = operations()) counter->add(dx.wanted() ? dx.array.count() : 0);
  do_halt_backward(dweight, drest_after, w, p, steps, t, dx, drest, dlogit);
}

void DepthKernels::blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const {
  check_same("blend_rows", x, y);
  require<ShapeError>((!a || same_extents(a, x)) && w.count() == x.rows(), "blend_rows: x is ", x.shape(), ", a ",
                      a.shape(), ", w ", w.shape());
  do_blend_rows(a, x, w, old, y);
}

void DepthKernels::blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old,
                                       Sink da, Sink dx, Sink dw) const {
  require<ShapeError>(same_extents(dy, x) && (!a || same_extents(a, x)) && w.count() == x.rows() && fits(da, x) &&
                          fits(dx, x) && unwanted_or(dw, x.rows()),
                      "blend_rows_backward: dy is ", dy.shape(), ", a ", a.shape(), ", x ", x.shape(), ", w ",
                      w.shape(), ", da ", da.array.shape(), ", dx ", dx.array.shape(), ", dw ", dw.array.shape());
  if (da.wanted() || dx.wanted() || dw.wanted()) do_blend_rows_backward(dy, a, x, w, old, da, dx, dw);
}

}  // namespace dragoman
