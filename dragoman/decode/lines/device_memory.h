// How much memory of a device a translator takes. It is known before a model is loaded, from a run on a backend that
// computes nothing and only counts memory.
#pragma once

#include <cstdint>

#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/model_config.h"

namespace dragoman::decode {

// In bytes.
struct DeviceMemory {
  std::int64_t weights = 0;   // of the model; all workers share them
  std::int64_t worker = 0;    // TranslatorOptions::worker_memory with which every batch of sentences can be translated
  std::int64_t products = 0;  // of each worker besides: the workspace of matrix products

  std::int64_t total(int workers) const { return weights + workers * (worker + products); }
};

// With the largest batches that the options allow, divided among clients if options.fair. Includes requests that need a
// search on the host, but not what a request may ask to see beyond its translation (traces, steps, words considered):
// if that does not fit beside the batch, the request fails.
DeviceMemory device_memory(const model::ModelConfig& config, const TranslatorOptions& options);

// What the program itself takes of the device, once.
std::int64_t program_memory(Device device);

}  // namespace dragoman::decode
