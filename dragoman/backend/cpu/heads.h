// Parts that attention over whole sentences and attention in decoding steps share: one head of one sentence, and the
// softmax of one row of scores.
#pragma once

#include <cstdint>
#include <limits>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/products/micro_gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

template <class T>
constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();

// One head of one sentence: n rows of d columns.
template <class T>
struct Block {
  T* data;
  std::int64_t n, d, stride;

  T* row(std::int64_t i) const { return data + i * stride; }
  Block from(std::int64_t first) const { return {row(first), n - first, d, stride}; }
  Strided<T> strided(std::int64_t first) const { return {row(first), stride, 1}; }
};

// Head `head` of h, for sentence b of the ragged batch x.
template <class T>
Block<T> head_of(const Array& x, const Segments& segments, std::int64_t b, std::int64_t head, std::int64_t h) {
  const std::int32_t* offsets = segments.offsets.data<std::int32_t>();
  const auto m = matrix<T>(x);
  const std::int64_t d = m.cols / h;
  return {m.row(offsets[b]) + head * d, offsets[b + 1] - offsets[b], d, m.stride};
}

// The keys of [first, first + count) that query i sees. They are keys first + from up to, but not including,
// first + to.
struct Seen {
  std::int64_t from, to;
  Seen(const Mask& mask, std::int64_t i, std::int64_t n_k, std::int64_t first, std::int64_t count)
      : from(std::max<std::int64_t>(0, mask.first_key(i) - first)), to(std::min(count, mask.end_key(i, n_k) - first)) {
    if (to < from) to = from = 0;
  }
};

// Replaces row[from], ..., row[to - 1] by exp(scale * row - shift), and the rest of `count` elements by 0. Returns the
// sum.
template <class T>
T exponentiate(T* row, Seen seen, std::int64_t count, T scale, T shift) {
  std::fill_n(row, seen.from, T{0});
  std::fill_n(row + seen.to, count - seen.to, T{0});
  T* start = row + seen.from;
  Vec<T> sums{};
  for_lanes<T>(
      seen.to - seen.from,
      [&](std::int64_t j) {
        const Vec<T> e = exp(load(start + j) * scale - shift);
        store(start + j, e);
        sums += e;
      },
      [&](std::int64_t j, std::int64_t left) {
        const Vec<T> e = exp(load_some(start + j, left) * scale - shift);
        store_some(start + j, e, left);
        sums += first_lanes<T>(e, left);
      });
  return sum_lanes<T>(sums);
}

// The largest score that the query sees; -infinity if it sees none.
template <class T>
T largest(const T* row, Seen seen) {
  return seen.from < seen.to ? max_of(row + seen.from, seen.to - seen.from) : kMinusInfinity<T>;
}

template <class T>
T dot(const T* a, const T* b, std::int64_t count) {
  Vec<T> sums{};
  for_lanes<T>(
      count, [&](std::int64_t i) { sums += load(a + i) * load(b + i); },
      [&](std::int64_t i, std::int64_t left) { sums += load_some(a + i, left) * load_some(b + i, left); });
  return sum_lanes<T>(sums);
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
