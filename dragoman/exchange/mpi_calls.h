// The calls of MPI that we make. They are in a module of their own, dragoman_mpi.so (mpi_module.cpp), which includes
// this header and nothing else of ours. It is loaded when ranks are joined, so that all other runs start without MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace dragoman::exchange {

// A message on its way, or kNone.
enum class MpiRequest : std::uintptr_t { kNone };

// Only one thread may call these functions, except version(). The memory of a message must stay until the message has
// been sent or received.
class MpiCalls {
 public:
  // Heartbeats and the reasons of failures do not mix with the other messages.
  enum class Channel : std::uint8_t { kTraining, kWatching };
  static constexpr int kAnyRank = -1;  // as the sender of a message to receive

  // The text of the library, such as "Open MPI v4.1.4, package: ...".
  virtual const char* version() const = 0;

  // Connects the ranks, and waits for all of them. Returns false if MPI cannot be used by a program with threads.
  virtual bool initialise() = 0;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  virtual MpiRequest send(Channel channel, std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual MpiRequest receive(Channel channel, std::span<std::byte> bytes, int from, int tag) = 0;
  // Every rank gives the same number of bytes and gets those of all, in the order of the ranks.
  virtual MpiRequest gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Every rank gets the bytes of rank 0.
  virtual MpiRequest broadcast(std::span<std::byte> bytes) = 0;

  // What a message was that has been received; of no meaning for one that was sent.
  struct End {
    int from = 0;
    std::size_t bytes = 0;
  };
  // Nothing while the message is on its way. After that the request is kNone.
  virtual std::optional<End> end_of(MpiRequest& request) = 0;
  // Does not receive a message any more.
  virtual void cancel(MpiRequest request) = 0;
  // Leaves a message that is sent to itself.
  virtual void release(MpiRequest request) = 0;

  // Waits for all ranks.
  virtual void finalise() = 0;
  // Ends all ranks.
  virtual void abort(int status) = 0;

 protected:
  ~MpiCalls() = default;
};

// The name of the module, and of its only function, which returns a pointer to its calls. The number at its end is that
// of this interface, so that a module with another one is refused.
inline constexpr const char* kMpiModule = "dragoman_mpi.so";
inline constexpr const char* kMpiFunction = "dragoman_mpi_calls_1";

}  // namespace dragoman::exchange

extern "C" dragoman::exchange::MpiCalls* dragoman_mpi_calls_1();
