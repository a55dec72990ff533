// The models of other programs in tests/models, as those programs store them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

inline const std::filesystem::path kForeignModels = std::filesystem::path(DRAGOMAN_SOURCE_DIR) / "tests/models";

// A model of another program. Several of them share files in tests/models.
struct ForeignFixture {
  struct File {
    std::string name;  // in the directory of the model
    std::string from;  // in tests/models
  };
  std::string name;  // its program or kind, and the variant
  std::vector<File> files;

  // Writes the files into a new directory. Returns what `dragoman import` has to be given: the directory, or the
  // package if the model is one.
  std::string write_to(const std::filesystem::path& directory) const {
    std::filesystem::create_directory(directory);
    for (const File& file : files) std::filesystem::copy_file(kForeignModels / file.from, directory / file.name);
    const bool is_package = files.front().name.ends_with(".argosmodel");
    return (is_package ? directory / files.front().name : directory).string();
  }
};

// MarianMT of Transformers, with one of its files of weights: "never" is a safetensors file, "sometimes" and "mostly"
// are zip and pickle files of PyTorch.
inline ForeignFixture marian_fixture(const std::string& variant) {
  ForeignFixture fixture{.name = "marian " + variant, .files = {}};
  const bool is_safetensors = variant == "never";
  fixture.files.push_back({is_safetensors ? "model.safetensors" : "pytorch_model.bin",
                           "marian/" + variant + (is_safetensors ? ".safetensors" : ".bin")});
  for (const std::string name :
       {"config.json", "generation_config.json", "tokenizer_config.json", "vocab.json", "source.spm", "target.spm"}) {
    fixture.files.push_back({name, "marian/" + name});
  }
  return fixture;
}

// CTranslate2, with the SentencePiece models of MarianMT. Older versions have no config.json.
inline ForeignFixture ctranslate2_fixture(const std::string& variant) {
  ForeignFixture fixture{.name = "ctranslate2 " + variant,
                         .files = {{"model.bin", "ctranslate2/" + variant + ".bin"},
                                   {"shared_vocabulary.json", "ctranslate2/shared_vocabulary.json"},
                                   {"source.spm", "marian/source.spm"},
                                   {"target.spm", "marian/target.spm"}}};
  if (!variant.starts_with("version-")) fixture.files.push_back({"config.json", "ctranslate2/config.json"});
  return fixture;
}

inline std::vector<ForeignFixture> foreign_fixtures() {
  std::vector<ForeignFixture> fixtures;
  for (const char* variant : {"never", "sometimes", "mostly"}) fixtures.push_back(marian_fixture(variant));
  for (const char* variant :
       {"float32", "int16", "int8", "version-1", "version-2", "version-3", "version-4", "version-5"}) {
    fixtures.push_back(ctranslate2_fixture(variant));
  }
  const auto add_directory = [&](const std::string& name, const std::string& folder,
                                 const std::vector<std::string>& files) {
    ForeignFixture& fixture = fixtures.emplace_back(ForeignFixture{.name = name, .files = {}});
    for (const std::string& file : files) fixture.files.push_back({file, folder + "/" + file});
  };
  add_directory(
      "m2m100", "m2m100",
      {"model.safetensors", "config.json", "generation_config.json", "vocab.json", "sentencepiece.bpe.model"});
  add_directory("argos", "argos", {"en_de.argosmodel"});
  for (const std::string variant : {"new", "old"}) {
    add_directory("fairseq " + variant, "fairseq/" + variant,
                  {"checkpoint_best.pt", "dict.en.txt", "dict.de.txt", "bpecodes"});
  }
  return fixtures;
}

}  // namespace dragoman
