#include "dragoman/model/foreign/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "dragoman/base/error.h"

namespace dragoman::model::foreign {
namespace {

// The state of zlib, which the destructor frees.
struct Stream {
  Stream() {
    // A negative number of window bits means a stream without header and checksum.
    require<Error>(inflateInit2(&z, -MAX_WBITS) == Z_OK, "zlib cannot be started.");
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z{};
};

}  // namespace

bool can_inflate() { return true; }

std::string inflate(const ByteSource& packed, std::uint64_t size) {
  Stream stream;
  std::array<Bytef, 1 << 16> in{}, out{};
  std::string result;
  result.reserve(size);  // takes address space; memory is taken when it is written
  std::uint64_t taken = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    if (stream.z.avail_in == 0) {
      const auto count = static_cast<uInt>(std::min<std::uint64_t>(in.size(), packed.size() - taken));
      packed.read(taken, in.data(), count);
      taken += count;
      stream.z.next_in = in.data();
      stream.z.avail_in = count;
    }
    stream.z.next_out = out.data();
    stream.z.avail_out = static_cast<uInt>(out.size());
    // zlib may still have output when it has read all input. Without input and output it returns Z_BUF_ERROR.
    status = ::inflate(&stream.z, Z_NO_FLUSH);
    require<Error>(status == Z_OK || status == Z_STREAM_END, packed.name(),
                   " is damaged: a member cannot be unpacked.");
    const std::size_t count = out.size() - stream.z.avail_out;
    require<Error>(count <= size - result.size(), packed.name(),
                   " is damaged: a member is larger than its header says.");
    result.append(reinterpret_cast<const char*>(out.data()), count);
  }
  require<Error>(result.size() == size, packed.name(), " is damaged: a member is smaller than its header says.");
  return result;
}

}  // namespace dragoman::model::foreign
