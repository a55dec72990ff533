// A copy of arrays on their device, which one thread takes and another reads while the first goes on computing.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dragoman/backend/backend.h"

namespace dragoman::train {

class Snapshot {
 public:
  // The memory in bytes that a reader needs besides the copies, for pieces of tensors on their way to a file.
  static constexpr std::size_t kReaderBytes = std::size_t{16} << 20;

  // Reserves the memory of the copies. The arrays must be contiguous. They and `on` must outlive the snapshot.
  Snapshot(Backend& on, std::vector<Array> arrays);

  // Copies the arrays, and waits until that is done. Nothing may read an older copy meanwhile.
  void take();
  // The copy of an array, or of a view of one.
  Array copy_of(const Array& view) const;
  // For the thread that reads the copies: on CUDA it has a stream of its own, so that its copies to the host do not
  // wait for training, nor training for them.
  Backend& reader() const { return *reader_; }

 private:
  Backend& on_;
  std::unique_ptr<Backend> reader_;
  std::vector<Array> arrays_, copies_;
  std::unique_ptr<Reservation> memory_;
};

}  // namespace dragoman::train
