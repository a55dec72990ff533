// Shape checks that the contracts of attention share. A message is formatted only if its check fails.
#pragma once

#include "dragoman/backend/attention.h"
#include "dragoman/backend/checks.h"

namespace dragoman {

inline void check_heads(const char* op, const Array& Q, const Array& K, const Array& V, const Array& O,
                        const Heads& heads) {
  const std::int64_t h = heads.h;
  require<ShapeError>(h > 0 && Q.cols() == K.cols() && K.rows() == V.rows() && Q.cols() % h == 0 && V.cols() % h == 0,
                      op, " with ", h, " heads: Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape());
  require<ShapeError>(O.rows() == Q.rows() && O.cols() == V.cols(), op, ": Q is ", Q.shape(), ", V ", V.shape(), ", O ",
                      O.shape());
}

inline void check_batches(const char* op, const Array& Q, const Array& K, const Array& log_sums, const Reach& reach,
                          const Heads& heads) {
  require<ShapeError>(reach.queries.R == Q.rows() && reach.keys.R == K.rows() && reach.queries.B == reach.keys.B, op,
                      ": Q is ", Q.shape(), " and K ", K.shape(), ", but the batches have ", reach.queries.R, " and ",
                      reach.keys.R, " rows in ", reach.queries.B, " and ", reach.keys.B, " sentences");
  require<ShapeError>(log_sums.rows() == Q.rows() && log_sums.cols() == heads.h, op, " with ", heads.h, " heads: Q is ",
                      Q.shape(), ", log_sums ", log_sums.shape());
}

// Of a decoding step over cached keys.
inline void check_cache(const char* op, const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                        const Heads& heads, const Array& weights) {
  require<ShapeError>(Q.rows() == K.rows() && Q.rows() == cache.cells.rows() && Q.rows() == cache.lengths.count() &&
                          K.cols() == cache.K.cols() && V.cols() == cache.V.cols() &&
                          (!weights || weights.count() == Q.rows() * heads.h * cache.cells.cols()),
                      op, ": Q is ", Q.shape(), ", K ", K.shape(), ", V ", V.shape(), ", cells ", cache.cells.shape(),
                      ", cached keys ", cache.K.shape(), ", weights ", weights.shape());
}

// Of a decoding step over the memory.
inline void check_memory_rows(const char* op, const Array& Q, const MemoryRows& memory, const Heads& heads,
                              const Array& weights) {
  require<ShapeError>(Q.rows() == memory.first.count() && Q.rows() == memory.count.count() &&
                          (!weights || weights.count() == Q.rows() * heads.h * memory.longest),
                      op, ": Q is ", Q.shape(), ", first ", memory.first.shape(), ", count ", memory.count.shape(),
                      ", the longest ", memory.longest, ", weights ", weights.shape());
}

}  // namespace dragoman
