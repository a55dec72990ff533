// The exchange through MPI. Arrays of a GPU are copied through the memory of the host.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include "dragoman/exchange/alone.h"
#include "dragoman/exchange/mpi_library.h"
#include "dragoman/exchange/mpi_thread.h"

namespace dragoman::exchange {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22;  // bytes of a message; few enough that the thread need not sleep
constexpr auto kChannel = MpiCalls::Channel::kTraining;
constexpr int kTag = 0;
constexpr auto kTimeToBeEnded = std::chrono::seconds(15);  // how long a rank waits for the one that reports a failure

std::unique_ptr<MpiThread>& mpi_thread() {
  static std::unique_ptr<MpiThread> thread;
  return thread;
}

class Mpi final : public Exchange {
 public:
  Mpi(MpiCalls& mpi, MpiThread& thread) : mpi_(mpi), thread_(thread) {}

  int rank() const override { return thread_.rank(); }
  int ranks() const override { return thread_.ranks(); }
  int local_rank() const override { return thread_.local_rank(); }

  void trade(const Backend& on, int partner, const Array& out, Array in) override {
    const std::span<const std::byte> sent = readable(on, out);
    const std::span<std::byte> received = writable(in);
    thread_.run([&] { move(partner, sent, received); });
    store(on, received, in);
  }

  void send(const Backend& on, int to, const Array& array) override {
    const std::span<const std::byte> sent = readable(on, array);
    thread_.run([&] { move(to, sent, {}); });
  }

  void receive(const Backend& on, int from, Array array) override {
    const std::span<std::byte> received = writable(array);
    thread_.run([&] { move(from, {}, received); });
    store(on, received, array);
  }

  void check() override {
    thread_.run([&] { thread_.require_all_well(); });
  }

  std::vector<std::int64_t> gather(std::span<const std::int64_t> mine) override {
    std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(ranks()));
    thread_.run([&] {
      MpiRequest request = mpi_.gather(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
      thread_.wait(std::span(&request, 1));
    });
    return all;
  }

  std::string broadcast(const std::string& text) override {
    const std::int64_t lengths[] = {std::ssize(text)};
    std::string result = text;
    result.resize(static_cast<std::size_t>(gather(lengths).front()));
    thread_.run([&] {
      MpiRequest request = mpi_.broadcast(std::as_writable_bytes(std::span(result)));
      thread_.wait(std::span(&request, 1));
    });
    return result;
  }

  void limit_waits(double seconds) override {
    thread_.run([&] { thread_.limit_waits(seconds); });
  }

  void wait_for_end() override {
    bool ends_others = false;
    thread_.run([&] { ends_others = thread_.found() && thread_.found()->reported_here; });
    if (ends_others) return;
    std::this_thread::sleep_for(kTimeToBeEnded);
    thread_.run([&] {
      if (thread_.found()) thread_.report();
    });
  }

  void report_failure(const std::string& sentence) override {
    thread_.run([&] { thread_.send_failure(sentence); });
    std::this_thread::sleep_for(kTimeToBeEnded);
  }

 private:
  static bool is_on_host(const Array& array) { return array.device().kind == Device::Kind::kCpu; }
  static std::size_t bytes_of(const Array& array) {
    return static_cast<std::size_t>(array.count()) * size_of(array.dtype());
  }

  // The bytes of an array in the memory of the host.
  std::span<const std::byte> readable(const Backend& on, const Array& array) {
    if (is_on_host(array)) return {static_cast<const std::byte*>(array.raw()), bytes_of(array)};
    sent_.resize(std::max(sent_.size(), bytes_of(array)));
    on.copy_out(array, sent_.data());
    return std::span(sent_).first(bytes_of(array));
  }

  std::span<std::byte> writable(const Array& array) {
    if (is_on_host(array)) return {static_cast<std::byte*>(array.raw()), bytes_of(array)};
    received_.resize(std::max(received_.size(), bytes_of(array)));
    return std::span(received_).first(bytes_of(array));
  }

  static void store(const Backend& on, std::span<const std::byte> bytes, Array& array) {
    if (!is_on_host(array)) on.copy_in(bytes.data(), array);
  }

  // Sends and receives at the same time, in pieces.
  void move(int partner, std::span<const std::byte> out, std::span<std::byte> in) {
    while (!out.empty() || !in.empty()) {
      MpiRequest requests[2] = {};
      const std::size_t received = std::min(in.size(), kPiece), sent = std::min(out.size(), kPiece);
      if (received > 0) requests[0] = mpi_.receive(kChannel, in.first(received), partner, kTag);
      if (sent > 0) requests[1] = mpi_.send(kChannel, out.first(sent), partner, kTag);
      thread_.wait(requests);
      in = in.subspan(received);
      out = out.subspan(sent);
    }
  }

  MpiCalls& mpi_;
  MpiThread& thread_;
  std::vector<std::byte> sent_, received_;  // for arrays of a GPU
};

}  // namespace

std::unique_ptr<Exchange> join_ranks(const Report& report) {
  if (!launched_rank()) return std::make_unique<Alone>();
  require<Error>(!mpi_thread(), "this process has joined its ranks before");
  MpiCalls& mpi = load_mpi();
  mpi_thread() = std::make_unique<MpiThread>(mpi, report);
  return std::make_unique<Mpi>(mpi, *mpi_thread());
}

bool has_joined() { return mpi_thread() != nullptr; }

void leave_ranks(int status) {
  if (!mpi_thread()) return;
  MpiThread& thread = *mpi_thread();
  thread.run([&] {
    if (status == 1 || status == 2) thread.abort(status);
    try {
      // MPI_Finalize() would wait for the other ranks without ever sleeping, and rank 0 may still have much to do.
      thread.meet();
    } catch (const RankError&) {
      thread.abort(1);
    }
  });
  thread.run_or_end([&] { thread.finalise(); }, "", status);
  mpi_thread().reset();
}

void require_mpi() { load_mpi(); }

std::string mpi_version() {
  try {
    const std::string version = load_mpi().version();
    return version.substr(0, version.find(','));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace dragoman::exchange
