#include "dragoman/backend/cuda/profile.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>

#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/profile_table.h"

namespace dragoman::cuda {

Profile::~Profile() {
  for (const Span& span : spans_) {
    cudaEventDestroy(span.begin);
    cudaEventDestroy(span.end);
  }
  for (const cudaEvent_t event : free_) cudaEventDestroy(event);
}

cudaEvent_t Profile::event() {
  cudaEvent_t made = nullptr;
  if (free_.empty()) {
    check(cudaEventCreate(&made), "creating an event");
  } else {
    made = free_.back();
    free_.pop_back();
  }
  return made;
}

void Profile::begin(std::string name, cudaStream_t stream) {
  spans_.push_back({std::move(name), event(), event()});
  check(cudaEventRecord(spans_.back().begin, stream), "recording an event");
}

void Profile::end(cudaStream_t stream) noexcept {
  Span& span = spans_.back();
  span.ended = cudaEventRecord(span.end, stream) == cudaSuccess;
}

std::string Profile::table() {
  std::map<std::string, LaunchTimes> sums;
  for (const Span& span : spans_) {
    if (!span.ended) continue;
    // Waits for this span alone: waiting for the whole device would fail while another thread records launches.
    check(cudaEventSynchronize(span.end), "waiting for the device");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, span.begin, span.end), "reading a time");
    LaunchTimes& sum = sums[span.name];
    sum.milliseconds += milliseconds;
    ++sum.launches;
  }
  for (const Span& span : spans_) free_.insert(free_.end(), {span.begin, span.end});
  spans_.clear();
  return profile_table(sums);
}

std::string Profile::name_of(const void* kernel) {
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, kernel) != cudaSuccess) return "a kernel";
  char* plain = abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr);
  std::string name = plain != nullptr ? plain : mangled;
  std::free(plain);
  // "void dragoman::cuda::(anonymous namespace)::name<types>(...)" -> "name"
  const std::size_t space = name.find("(anonymous namespace)::");
  if (space != std::string::npos) name.erase(0, space + 23);
  return name.substr(0, name.find_first_of("<("));
}

}  // namespace dragoman::cuda
