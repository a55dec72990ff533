// Recording of launches as a CUDA graph, for work that is repeated many times: one call then starts all its launches.
//
//   1. The stream is put into capture mode. Kernels that `work` launches are recorded instead of run.
//   2. The recorded graph is compiled into an executable one (cudaGraphInstantiate).
//   3. run() launches the executable graph: the same kernels with the same arguments, so arrays must stay where they
//      are.
// Only one thread records at a time (recording_mutex).
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/memory.h"

namespace dragoman::cuda {

namespace {

class Graph final : public Replay {
 public:
  Graph(const Context& on, const std::function<void()>& work) : on_(on) {
    cudaGraph_t recorded = record(work);
    const cudaError_t counted = cudaGraphGetNodes(recorded, nullptr, &launches_);
    const cudaError_t made = cudaGraphInstantiate(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    check(made, "instantiating a recording");
    if (counted != cudaSuccess) launches_ = 0;
  }
  ~Graph() override {
    cudaStreamSynchronize(on_.stream());  // the graph may still be running
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void run() override { check(cudaGraphLaunch(graph_, on_.stream()), "the launch of a recording"); }
  std::int64_t launches() const override { return static_cast<std::int64_t>(launches_); }

 private:
  cudaGraph_t record(const std::function<void()>& work) const {
    const std::lock_guard lock(recording_mutex());
    const cudaStream_t stream = on_.stream();
    // Thread-local mode: other threads may use their own streams freely meanwhile.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "the start of a recording");
    cudaGraph_t recorded = nullptr;
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream, &recorded);
      if (recorded != nullptr) cudaGraphDestroy(recorded);
      cudaGetLastError();  // clears the error of the broken recording
      throw;
    }
    check(cudaStreamEndCapture(stream, &recorded), "the end of a recording");
    return recorded;
  }

  const Context& on_;
  cudaGraphExec_t graph_ = nullptr;
  std::size_t launches_ = 0;
};

// Calls `work` at each run instead of launching a graph. Used when profiling, because a profile times every single
// launch, and in a dry backend, which launches nothing.
struct Repeat final : Replay {
  explicit Repeat(std::function<void()> work_) : work(std::move(work_)) {}
  void run() override { work(); }
  std::function<void()> work;
};

}  // namespace

std::unique_ptr<Replay> Context::record_launches(const std::function<void()>& work) const {
  if (dry_ || profile_) return std::make_unique<Repeat>(work);
  return std::make_unique<Graph>(*this, work);
}

}  // namespace dragoman::cuda
