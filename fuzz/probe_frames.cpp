// Fuzzes the reader of a film's frames, which a training run writes (probe/step-N.jsonl): for any bytes, the result is
// JSON that the page can read, or reading throws an Error.
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/decode/film.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const fuzz::ScratchFile scratch("unused");
  static const std::filesystem::path frames = scratch.directory() / "probe";
  static const bool made = [] {
    make_directory(frames);
    replace_file(frames / "step-100.jsonl", R"({"source":"a cat","look":{"src":["a"]}})"
                                            "\n");
    return true;
  }();
  replace_file(frames / "step-200.jsonl", fuzz::as_text(data, size));
  fuzz::check(made && decode::summarise_film(scratch.directory()).exists);
  try {
    const Json film = Json::parse(decode::film_json(scratch.directory()));
    fuzz::check(film.at("sentences").at(0).at("source") == "a cat");
  } catch (const Error&) {
  }
  return 0;
}
