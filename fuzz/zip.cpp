// Fuzzes the reader of zip files: for any bytes, every member is read or refused, and stays inside its directory.
#include "dragoman/model/foreign/zip.h"

#include "dragoman/base/error.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  try {
    const model::foreign::ZipFile zip(model::foreign::memory_bytes(std::string(fuzz::as_text(data, size)), "a.zip"));
    for (const std::string& name : zip.names()) {
      fuzz::check(!name.starts_with("/") && !name.starts_with("../"));
      try {
        const model::foreign::Bytes member = zip.open(name);
        member->text(0, member->size());
        fuzz::check(member->size() <= (1 << 20) + 3 * zip.stored_bytes(name));
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
