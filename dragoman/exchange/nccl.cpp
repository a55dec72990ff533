#include "dragoman/exchange/nccl.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <span>
#include <thread>
#include <utility>

#include "dragoman/backend/queue.h"
#include "dragoman/exchange/nccl_library.h"

namespace dragoman::exchange {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kNap = std::chrono::microseconds(50);
// Between two looks whether the other ranks are well. They notice that this one waits by its looks.
constexpr auto kBetweenChecks = std::chrono::milliseconds(20);
// NCCL notices that a rank has ended too, but cannot say which one. So `ranks` gets this long to notice it.
constexpr auto kReasonTime = std::chrono::seconds(1);

const NcclLibrary& library() {
  static const NcclLibrary loaded;
  return loaded;
}

// The communicator does not block: a call that is not done at once returns ncclInProgress, and settle() waits for its
// end. So no failure of another rank can make this one hang.
class Nccl final : public Exchange {
 public:
  Nccl(Exchange& ranks, const Backend& on) : ranks_(ranks), nccl_(library()) {
    queue_of(on);  // makes the GPU the current device, which NCCL then uses
    const ncclUniqueId id = shared_id();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    try {
      settle(nccl_.init_rank(&communicator_, ranks.ranks(), id, ranks.rank(), &config));
    } catch (...) {
      abort();
      throw;
    }
  }

  // NCCL waits for all ranks here, and must not wait for one that is still busy or has failed. So the ranks first tell
  // each other that their GPUs are done.
  ~Nccl() override {
    if (std::uncaught_exceptions() > 0) abort();
    if (communicator_ == nullptr) return;
    try {
      const std::int64_t done[] = {1};
      ranks_.gather(done);
      settle(nccl_.finalise(communicator_));
      nccl_.destroy(std::exchange(communicator_, nullptr));
    } catch (...) {
      abort();
    }
  }
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  int rank() const override { return ranks_.rank(); }
  int ranks() const override { return ranks_.ranks(); }
  int local_rank() const override { return ranks_.local_rank(); }

  void trade(const Backend& on, int partner, const Array& out, Array in) override { move(on, partner, out, in); }

  // These two are rare, so they wait for the device.
  void send(const Backend& on, int to, const Array& array) override {
    move(on, to, array, {});
    wait(on);
  }
  void receive(const Backend& on, int from, Array array) override {
    move(on, from, {}, array);
    wait(on);
  }

  void check() override {
    require_connected();
    ncclResult_t state = ncclSuccess;
    nccl_.async_error(communicator_, &state);
    require_success(state);
    if (Clock::now() < next_check_) return;
    next_check_ = Clock::now() + kBetweenChecks;
    try {
      ranks_.check();
    } catch (...) {
      abort();  // ends the work on the GPU that waits for the other rank
      throw;
    }
  }

  std::vector<std::int64_t> gather(std::span<const std::int64_t> mine) override { return ranks_.gather(mine); }
  std::string broadcast(const std::string& text) override { return ranks_.broadcast(text); }
  void limit_waits(double seconds) override { ranks_.limit_waits(seconds); }
  void report_failure(const std::string& sentence) override { ranks_.report_failure(sentence); }
  void wait_for_end() override { ranks_.wait_for_end(); }

 private:
  // Rank 0 makes the name of the communicator, and all others learn it.
  ncclUniqueId shared_id() {
    ncclUniqueId id{};
    if (leads()) require_success(nccl_.get_unique_id(&id));
    const std::string text = ranks_.broadcast({id.internal, sizeof id.internal});
    std::ranges::copy(text, id.internal);
    return id;
  }

  void move(const Backend& on, int partner, const Array& out, const Array& in) {
    require_connected();
    const auto stream = static_cast<cudaStream_t>(queue_of(on));
    settle(nccl_.group_start());
    if (bytes_of(out) > 0) settle(nccl_.send(out.raw(), bytes_of(out), ncclInt8, partner, communicator_, stream));
    if (bytes_of(in) > 0) settle(nccl_.receive(in.raw(), bytes_of(in), ncclInt8, partner, communicator_, stream));
    settle(nccl_.group_end());
  }

  static std::size_t bytes_of(const Array& array) {
    return array.absent() ? 0 : static_cast<std::size_t>(array.count()) * size_of(array.dtype());
  }

  // Waits until the device has sent and received all.
  void wait(const Backend& on) {
    const std::unique_ptr<Mark> moved = mark(on);
    for (; !moved->is_reached(); std::this_thread::sleep_for(kNap)) check();
  }

  // Waits until a call has ended that may still be in progress. Throws an Error if it fails.
  void settle(ncclResult_t result) {
    for (; result == ncclInProgress; std::this_thread::sleep_for(kNap)) {
      check();
      nccl_.async_error(communicator_, &result);
    }
    require_success(result);
  }

  void require_success(ncclResult_t result) {
    if (result == ncclSuccess || result == ncclInProgress) return;
    abort();
    for (const auto end = Clock::now() + kReasonTime; Clock::now() < end; std::this_thread::sleep_for(kBetweenChecks)) {
      ranks_.check();
    }
    throw Error(join("NCCL failed (", nccl_.error_string(result), ").",
                     result == ncclInvalidUsage ? " Each process needs a GPU of its own; else use --exchange mpi."
                                                : " The environment variable NCCL_DEBUG=WARN makes it say more."));
  }

  void require_connected() const {
    require<RankError>(communicator_ != nullptr, "the GPUs are not connected any more");
  }

  void abort() {
    if (communicator_ != nullptr) nccl_.abort(std::exchange(communicator_, nullptr));
  }

  Exchange& ranks_;
  const NcclLibrary& nccl_;
  ncclComm_t communicator_ = nullptr;
  Clock::time_point next_check_ = Clock::now() + kBetweenChecks;
};

}  // namespace

std::string nccl_version() { return join(NCCL_MAJOR, ".", NCCL_MINOR, ".", NCCL_PATCH); }

void require_nccl() { library(); }

std::unique_ptr<Exchange> connect_gpus(Exchange& ranks, const Backend& on) { return std::make_unique<Nccl>(ranks, on); }

}  // namespace dragoman::exchange
