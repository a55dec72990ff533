// Bias, ReLU and dropout, which are applied to a block of a product.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Adds b to a block of y, then applies ReLU and dropout, while the block is still in the cache.
template <class T>
void finish_block(const Extent& e, const T* b, const Activation& activation, Matrix<T> y) {
  const bool drops = activation.dropout.on();
  const std::int32_t* sentence = drops ? activation.segments.sentence.data<std::int32_t>() : nullptr;
  const std::int32_t* position = drops ? activation.segments.position.data<std::int32_t>() : nullptr;
  for (std::int64_t r = e.top; r < e.top + e.rows; ++r) {
    T* row = y.row(r) + e.left;
    if (b != nullptr && activation.relu) {
      for (std::int64_t j = 0; j < e.cols; ++j) row[j] = std::max(row[j] + b[e.left + j], T{0});
    } else if (b != nullptr) {
      for (std::int64_t j = 0; j < e.cols; ++j) row[j] += b[e.left + j];
    } else if (activation.relu) {
      for (std::int64_t j = 0; j < e.cols; ++j) row[j] = std::max(row[j], T{0});
    }
    if (drops) drop(activation.dropout, sentence[r], position[r], e.left, e.cols, row);
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
