#include "dragoman/text/unpack.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <ios>

#include "dragoman/text/zstd_frames.h"

namespace dragoman::text {
namespace {

namespace io = boost::iostreams;

constexpr std::streamsize kStreamBytes = 1 << 16;

// The device that Boost reads from. Boost copies its devices, so the state is shared.
class Source {
 public:
  using char_type = char;
  using category = io::source_tag;

  Source(Packing packing, ReadBytes read) : state_(std::make_shared<State>(State{packing, std::move(read), {}})) {}

  std::streamsize read(char* bytes, std::streamsize count) {
    const std::size_t got = state_->read(bytes, static_cast<std::size_t>(count));
    if (state_->packing == Packing::kZstd) {  // Boost would not notice that the file is cut short
      state_->frames.consume({bytes, got});
      if (got == 0 && !state_->frames.at_end_of_frame()) throw std::ios_base::failure("cut short");
    }
    return got == 0 ? -1 : static_cast<std::streamsize>(got);
  }

 private:
  struct State {
    Packing packing;
    ReadBytes read;
    ZstdFrames frames;
  };
  std::shared_ptr<State> state_;
};

}  // namespace

bool can_unpack() { return true; }

std::unique_ptr<std::streambuf> unpacked(Packing packing, ReadBytes read) {
  auto text = std::make_unique<io::filtering_streambuf<io::input>>();
  switch (packing) {
    case Packing::kNone: break;
    case Packing::kGzip: text->push(io::gzip_decompressor()); break;
    case Packing::kZstd: text->push(io::zstd_decompressor()); break;
    case Packing::kXz: text->push(io::lzma_decompressor()); break;
  }
  text->push(Source(packing, std::move(read)), kStreamBytes);
  return text;
}

}  // namespace dragoman::text
