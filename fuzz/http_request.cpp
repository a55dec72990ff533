// Fuzzes the reader of HTTP requests: for any bytes, in pieces of any size, each request is read within its limits or
// refused with a response. The first byte is the size of the pieces.
#include <algorithm>
#include <memory>

#include "dragoman/serve/http/internal/request_reader.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

using serve::RequestReader;

constexpr RequestReader::Limits kLimits{.header_bytes = 512, .body_bytes = 100};

void use(RequestReader& reader) {
  const serve::HttpRequest request = reader.take_request();
  check(static_cast<std::int64_t>(request.body.size()) <= kLimits.body_bytes);
  check(request.path.starts_with('/') || request.path == "*");
  check(!request.method.empty());
}

// Returns false if a request was refused; nothing is read after that.
bool read(std::unique_ptr<RequestReader>& reader, std::string& bytes) {
  for (;;) {
    if (!reader) reader = std::make_unique<RequestReader>(kLimits);
    const RequestReader::ReadState progress = reader->read(bytes);
    if (progress == RequestReader::ReadState::kRefused) {
      check(reader->refusal().status >= 400);
      return false;
    }
    if (progress == RequestReader::ReadState::kPartial) {
      check(static_cast<std::int64_t>(bytes.size()) <= kLimits.header_bytes);  // it buffers no more than this
      return true;
    }
    use(*reader);
    reader.reset();
    if (bytes.empty()) return true;
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  std::string_view rest = fuzz::as_text(data, size);
  if (rest.empty()) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  std::unique_ptr<serve::RequestReader> reader;
  std::string bytes;
  for (rest.remove_prefix(1); !rest.empty(); rest.remove_prefix(std::min(step, rest.size()))) {
    bytes += rest.substr(0, step);
    if (!fuzz::read(reader, bytes)) break;
  }
  return 0;
}
