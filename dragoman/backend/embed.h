// Embedding lookup: the contract.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/tokens.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

class EmbedKernels {
 public:
  virtual ~EmbedKernels() = default;

  // y[r] = dropout(scale E[ids[r]] + P[position of r]). P is [positions, d], or absent. Id 0 looks up zero.
  void embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
             const Dropout& dropout, Array& y) const;
  void embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                      const Dropout& dropout, Sink dE, Sink dP) const;

 private:
  virtual void do_embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                        const Dropout& dropout, Array& y) const = 0;
  virtual void do_embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                                 const Dropout& dropout, Sink dE, Sink dP) const = 0;
};

}  // namespace dragoman
