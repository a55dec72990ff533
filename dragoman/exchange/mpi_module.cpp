// The module dragoman_mpi.so: the calls of MPI. It alone is linked with MPI's library.
#include <mpi.h>

#include <cstring>

#include "dragoman/exchange/mpi_calls.h"

namespace dragoman::exchange {

namespace {

MpiRequest ours(MPI_Request request) {
  MpiRequest result = MpiRequest::kNone;
  static_assert(sizeof request <= sizeof result);
  if (request != MPI_REQUEST_NULL) std::memcpy(&result, &request, sizeof request);
  return result;
}

MPI_Request theirs(MpiRequest request) {
  MPI_Request result = MPI_REQUEST_NULL;
  if (request != MpiRequest::kNone) std::memcpy(&result, &request, sizeof result);
  return result;
}

int size_of(std::span<const std::byte> bytes) { return static_cast<int>(bytes.size()); }

class Calls final : public MpiCalls {
 public:
  const char* version() const override {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return text;
  }

  bool initialise() override {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED) return false;
    MPI_Comm_dup(MPI_COMM_WORLD, &watching_);
    return true;
  }

  int rank() const override {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  int ranks() const override {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }

  MpiRequest send(Channel channel, std::span<const std::byte> bytes, int to, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(bytes.data(), size_of(bytes), MPI_BYTE, to, tag, communicator(channel), &request);
    return ours(request);
  }

  MpiRequest receive(Channel channel, std::span<std::byte> bytes, int from, int tag) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(bytes.data(), size_of(bytes), MPI_BYTE, from == kAnyRank ? MPI_ANY_SOURCE : from, tag,
              communicator(channel), &request);
    return ours(request);
  }

  MpiRequest gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(mine.data(), size_of(mine), MPI_BYTE, all.data(), size_of(mine), MPI_BYTE, MPI_COMM_WORLD, &request);
    return ours(request);
  }

  MpiRequest broadcast(std::span<std::byte> bytes) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(bytes.data(), size_of(bytes), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    return ours(request);
  }

  std::optional<End> end_of(MpiRequest& request) override {
    MPI_Request tested = theirs(request);
    MPI_Status status{};
    int done = 0, bytes = 0;
    MPI_Test(&tested, &done, &status);
    if (done == 0) return std::nullopt;
    request = MpiRequest::kNone;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return End{.from = status.MPI_SOURCE, .bytes = static_cast<std::size_t>(bytes)};
  }

  void cancel(MpiRequest request) override {
    MPI_Request cancelled = theirs(request);
    MPI_Cancel(&cancelled);
    MPI_Request_free(&cancelled);
  }

  void release(MpiRequest request) override {
    MPI_Request released = theirs(request);
    MPI_Request_free(&released);
  }

  void finalise() override {
    MPI_Comm_free(&watching_);
    MPI_Finalize();
  }

  void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  MPI_Comm communicator(Channel channel) const { return channel == Channel::kWatching ? watching_ : MPI_COMM_WORLD; }

  MPI_Comm watching_ = MPI_COMM_NULL;
};

}  // namespace
}  // namespace dragoman::exchange

dragoman::exchange::MpiCalls* dragoman_mpi_calls_1() {
  static dragoman::exchange::Calls calls;
  return &calls;
}
