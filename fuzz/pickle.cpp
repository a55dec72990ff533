// Fuzzes the readers of pickles and of PyTorch's checkpoints: for any bytes, every tensor is read or refused. The first
// byte says what the others are: a checkpoint, or the pickle of one in a zip file, whose checksums are then right.
#include "dragoman/model/foreign/pickle.h"

#include "dragoman/base/error.h"
#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/torch_file.h"
#include "dragoman/model/foreign/writers_testing.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

void read_checkpoint(std::string bytes) {
  using namespace model::foreign;
  try {
    const TorchFile file(memory_bytes(std::move(bytes), "a.bin"));
    for (const auto& [name, tensor] : file.tensors(file.object().root())) floats_of(tensor);
  } catch (const Error&) {
  }
}

void read_settings(std::string bytes) {
  using namespace model::foreign;
  try {
    ByteCursor cursor(memory_bytes(std::move(bytes), "a.pkl"));
    fairseq_network(Pickle(cursor), "a.pkl");
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  if (size == 0) return 0;
  const std::string rest(fuzz::as_text(data + 1, size - 1));
  if (*data % 2 == 0) {
    fuzz::read_checkpoint(rest);
  } else {
    fuzz::read_settings(rest);
    const std::string numbers(24, 'x');
    fuzz::read_checkpoint(model::foreign::zip_of({{"m/data.pkl", rest}, {"m/data/0", numbers}, {"m/data/1", numbers}}));
  }
  return 0;
}
