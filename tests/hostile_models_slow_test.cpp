// Models that were made to take memory: small files that repeat what they hold, or name sizes that they do not have.
// Each is refused in one sentence, or read, in at most 64 MiB and four times the weights that it holds. The table of
// what each took is printed. (The name *_slow_test keeps this test out of sanitizer builds, which use additional
// memory.)
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/foreign/inflate.h"
#include "dragoman/model/foreign/writers_testing.h"
#include "tests/child.h"
#include "tests/foreign_models.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using namespace model::foreign;
using namespace std::string_literals;

std::string times(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string text_of(const fs::path& file) { return read_file(file, 1 << 20); }

class HostileModels : public SmallModelTest {
 protected:
  // A process counts the memory of the one that started it. So files are made in a process of their own.
  static void in_a_child(const std::function<void()>& make) {
    const pid_t id = ::fork();
    if (id == 0) {
      make();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(id, &status, 0);
    ASSERT_EQ(status, 0);
  }
  static std::uintmax_t bytes_in(const fs::path& path) {
    if (!fs::is_directory(path)) return fs::file_size(path);
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      bytes += entry.is_regular_file() ? entry.file_size() : 0;
    return bytes;
  }

  // Runs the command on a model whose weights have so many bytes in their file.
  Ending expect_bounded(const std::string& name, const std::string& arguments, const fs::path& hostile,
                        std::uintmax_t weights) {
    Child child(arguments);
    Ending ending = child.wait();
    const long allowed = 64 + static_cast<long>(4 * weights >> 20);
    EXPECT_LE(child.peak_mebibytes(), allowed) << name << ": " << ending.err;
    EXPECT_LT(ending.err.size(), 1000u) << name;
    if (ending.status != 0) {
      EXPECT_TRUE(ending.status == 1 || ending.status == 2) << name;
      expect_one_sentence(ending, ending.status, "");
      EXPECT_EQ(ending.err.find("out of memory"), std::string::npos) << name;
    }
    std::cout << std::left << std::setw(44) << name << std::right << std::setw(10) << bytes_in(hostile) << " bytes  "
              << std::setw(4) << child.peak_mebibytes() << " MiB  " << (ending.status == 0 ? "read" : "refused")
              << "\n";
    return ending;
  }
  // Imports a fixture of which `change` changes the files in its directory.
  Ending import(const std::string& name, const ForeignFixture& fixture, const std::string& weights,
                const std::function<void(const fs::path&)>& change) {
    const fs::path theirs = file("theirs");
    const std::string given = fixture.write_to(theirs);
    in_a_child([&] { change(theirs); });
    const Ending ending = expect_bounded(
        name, "import '" + given + "' --model " + file("ours") + " --source-language en --target-language de", given,
        fs::file_size(theirs / weights));
    fs::remove_all(theirs);
    fs::remove_all(file("ours"));
    return ending;
  }
  Ending import_torch(const std::string& name, const std::function<std::string()>& checkpoint) {
    return import(name, marian_fixture("mostly"), "pytorch_model.bin",
                  [&](const fs::path& theirs) { replace_file(theirs / "pytorch_model.bin", checkpoint()); });
  }
  Ending import_ctranslate2(const std::string& name, const std::function<std::string()>& weights) {
    return import(name, ctranslate2_fixture("float32"), "model.bin",
                  [&](const fs::path& theirs) { replace_file(theirs / "model.bin", weights()); });
  }
  // A package of Argos with the fixture's files, of which one is replaced.
  Ending import_argos(const std::string& name, const std::function<ZipMember()>& hostile) {
    const auto make = [&](const fs::path& theirs) {
      std::vector<ZipMember> members{
          {"p/metadata.json", R"({"from_code":"en","to_code":"de"})"},
          {"p/sentencepiece.model", text_of(kForeignModels / "marian/source.spm")},
          {"p/model/config.json", text_of(kForeignModels / "ctranslate2/config.json")},
          {"p/model/model.bin", text_of(kForeignModels / "ctranslate2/float32.bin")},
          {"p/model/shared_vocabulary.json", text_of(kForeignModels / "ctranslate2/shared_vocabulary.json")}};
      ZipMember replacing = hostile();
      for (ZipMember& member : members) {
        if (member.name == replacing.name) member = std::move(replacing);
      }
      replace_file(theirs / "en_de.argosmodel", zip_of(members));
    };
    return import(name, {.name = "argos", .files = {{"en_de.argosmodel", "argos/en_de.argosmodel"}}},
                  "en_de.argosmodel", make);
  }
  // Translates with the small model after a change of its files.
  Ending translate_changed(const std::string& name, const std::function<void(const fs::path&)>& change) {
    fs::copy(model, file("changed"), fs::copy_options::recursive);
    in_a_child([&] { change(file("changed")); });
    const Ending ending = expect_bounded(
        name, "translate --threads 1 --max-extra 2 --model " + file("changed") + " " + write("one", "one\n"),
        file("changed"), fs::file_size(file("changed") + "/model.safetensors"));
    fs::remove_all(file("changed"));
    return ending;
  }
};

std::string checkpoint_with(const std::string& pickle) {
  return zip_of({{"m/data.pkl", pickled::whole(pickle)}, {"m/data/0", std::string(8, '\0')}});
}
TEST_F(HostileModels, OfPyTorchAreRefused) {
  const Ending ranks = import_torch("torch: 2,000 tensors of 20,000 dimensions",
                                    [] { return checkpoint_with(pickled_shared_tensors(20'000, 2'000)); });
  EXPECT_NE(ranks.err.find("dimensions; at most 8"), std::string::npos) << ranks.err;
  const Ending many = import_torch("torch: 30,000 tensors of one storage",
                                   [] { return checkpoint_with(pickled_shared_tensors(1, 30'000)); });
  EXPECT_NE(many.err.find("more than"), std::string::npos) << many.err;
  import_torch("torch: one tensor under 400,000 names", [] {
    std::string pickle = "}(" + pickled::text("parts") + pickled_shared_parts(1) +
                         pickled::text(std::string(60'000, 'k')) + "q\x03" + pickled_shared_tensor() + "q\x04" +
                         times("h\x03h\x04", 400'000);
    return checkpoint_with(pickle + "u");
  });
  import_torch("torch: a million values", [] { return checkpoint_with(times("N", 1'000'000)); });
  import_torch("torch: a million marks", [] { return checkpoint_with(times("(", 999'000)); });
  import_torch("torch: tuples of tuples", [] { return checkpoint_with("N" + times("\x85", 149'000)); });
  import_torch("torch: 140,000 stored values", [] {
    std::string pickle;
    for (std::uint32_t i = 0; i < 140'000; ++i) pickle += "Nr" + bytes_of(i);
    return checkpoint_with(pickle);
  });
  import_torch("torch: 60 MB of text",
               [] { return checkpoint_with(times(pickled::text(std::string(60'000, 'x')), 1'000)); });
  const Ending packed = import_torch("torch: packed numbers", [] {
    return zip_of({{"m/data.pkl", pickled::whole("}")}, repeated("m/byteorder", "x", 232'000)});
  });
  EXPECT_NE(packed.err.find("is packed, which torch.save does not do"), std::string::npos) << packed.err;
  import_torch("torch: 60,000 members", [] {
    std::vector<ZipMember> members;
    for (int i = 0; i < 60'000; ++i) members.push_back({"m/data/" + std::to_string(i), ""});
    return zip_of(members, true);
  });
}

TEST_F(HostileModels, OfTransformersAreRefused) {
  const auto change_config = [](const fs::path& theirs, const Json& changes) {
    Json config = parse_json(text_of(theirs / "config.json"), "config.json");
    config.update(changes);
    replace_file(theirs / "config.json", config.dump());
  };
  const ForeignFixture fixture = marian_fixture("never");
  const std::string weights = "model.safetensors";
  for (const auto& [key, value] : {std::pair("d_model", 1 << 24), std::pair("encoder_ffn_dim", 1 << 24),
                                   std::pair("encoder_layers", 1000), std::pair("vocab_size", 1 << 28)}) {
    import(join("transformers: ", key, " is ", value), fixture, weights,
           [&](const fs::path& theirs) { change_config(theirs, {{key, value}});
  });
}
  import("transformers: config.json of 60 MB", fixture, weights, [](const fs::path& theirs) {
    replace_file(theirs / "config.json", "[" + times("[],", 20'000'000) + "0]");
  });
  import("transformers: config.json of 1 MB of lists", fixture, weights, [](const fs::path& theirs) {
    replace_file(theirs / "config.json", "[" + times("[],", 349'000) + "0]");
  });
  import("transformers: config.json of 1 MB of objects", fixture, weights, [](const fs::path& theirs) {
    replace_file(theirs / "config.json", "[" + times("{\"\":0},", 149'000) + "0]");
  });
  import("transformers: 4,000,000 words", fixture, weights, [](const fs::path& theirs) {
    std::string words = "{";
  for (int i = 0; i < 4'000'000; ++i) words += "\"" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  words.back() = '}';
  replace_file(theirs / "vocab.json", words);
  });
  import("transformers: 40,000 words", fixture, weights, [](const fs::path& theirs) {
    std::string words = R"({"</s>":0,"<unk>":1,"<pad>":2)";
  for (int i = 3; i < 39'900; ++i) words += ",\"" + std::to_string(i) + "\":" + std::to_string(i);
  replace_file(theirs / "vocab.json", words + "}");
  });
  for (const int count : {20'000'000, 200'000, 39'000}) {
    import(join("transformers: ", count, " pieces"), fixture, weights, [&](const fs::path& theirs) {
      std::string pieces = text_of(theirs / "source.spm");
    for (int i = 0; i < count; ++i) {
      const std::string piece = std::to_string(i);
      // A piece has a text and the score 0.
      const std::string message = "\n" + std::string(1, static_cast<char>(piece.size())) + piece;
      pieces += "\n" + std::string(1, static_cast<char>(message.size())) + message;
    }
    replace_file(theirs / "source.spm", pieces);
  });
  }
  import("transformers: header of 16 MB", fixture, weights, [](const fs::path& theirs) {
    const std::string header = "{\"__metadata__\":[" + times("[],", 5'500'000) + "0]}";
  replace_file(theirs / "model.safetensors", bytes_of(std::uint64_t{header.size()}) + header);
  });
  import("transformers: header of 1 MB", fixture, weights, [](const fs::path& theirs) {
    const std::string header = "{\"__metadata__\":[" + times("[],", 349'000) + "0]}";
  replace_file(theirs / "model.safetensors", bytes_of(std::uint64_t{header.size()}) + header);
  });
  }

  TEST_F(HostileModels, OfCTranslate2AreRefused) {
    const auto aliases = [](const SavedVariable& variable, int count, const std::string& start) {
      std::vector<std::pair<std::string, std::string>> names;
      for (int i = 0; i < count; ++i) names.emplace_back(start + std::to_string(i), variable.name);
      return ctranslate2_of(6, {variable}, names);
    };
    const SavedVariable deep{.name = "v", .shape = std::vector<std::uint32_t>(255, 1), .numbers = std::string(4, 'x')};
    const SavedVariable plain{.name = "v", .shape = {1}, .numbers = std::string(4, 'x')};
    const Ending ranks = import_ctranslate2("ctranslate2: 100,000 aliases of 255 dimensions",
                                            [&] { return aliases(deep, 100'000, ""); });
    EXPECT_NE(ranks.err.find("255 dimensions; at most 8"), std::string::npos) << ranks.err;
    import_ctranslate2("ctranslate2: 100,000 aliases", [&] { return aliases(plain, 100'000, ""); });
    import_ctranslate2("ctranslate2: 19,000 aliases with long names",
                       [&] { return aliases(plain, 19'000, std::string(980, 'n')); });
    import_ctranslate2("ctranslate2: names of 60,000 bytes",
                       [&] { return aliases(plain, 1'000, std::string(60'000, 'n')); });
    import_ctranslate2("ctranslate2: rows of 2^31 - 1 columns, but none", [] {
      std::vector<SavedVariable> variables{
          {.name = "encoder/embeddings_0/weight", .shape = {0, 0x7FFFFFFF}, .numbers = {}}};
      for (const char* side : {"encoder", "decoder"}) {
        for (const char* of : {"self_attention", "ffn"}) {
          variables.push_back(
              {.name = join(side, "/layer_0/", of, "/linear_0/weight"), .shape = {0, 0}, .numbers = {}});
        }
      }
      const std::string& embedding = variables.front().name;
      return ctranslate2_of(6, variables,
                            {{"decoder/embeddings/weight", embedding}, {"decoder/projection/weight", embedding}});
    });
  }

  TEST_F(HostileModels, OfArgosAreRefused) {
    if (!can_inflate()) GTEST_SKIP() << "This build is without zlib.";
    constexpr std::size_t k60MB = 232'000;  // repetitions
    import_argos("argos: metadata.json of 60 MB", [] { return repeated("p/metadata.json", "[],", k60MB); });
    import_argos("argos: config.json of 60 MB", [] { return repeated("p/model/config.json", "[],", k60MB); });
    import_argos("argos: vocabulary of 60 MB",
                 [] { return repeated("p/model/shared_vocabulary.json", "[\"a\",", k60MB); });
    import_argos("argos: 15 million pieces",
                 [] { return repeated("p/sentencepiece.model", std::string("\n\2\n\0", 4), k60MB); });
    import_argos("argos: weights of 60 MB of zeros",
                 [] { return repeated("p/model/model.bin", std::string(1, '\0'), k60MB); });
  }

  TEST_F(HostileModels, OfFairseqAreRefused) {
  const auto import_with = [&](const std::string& name, const std::string& changed, const std::string& line) {
    ForeignFixture fixture{.name = "fairseq", .files = {}};
    for (const char* of : {"checkpoint_best.pt", "dict.en.txt", "dict.de.txt", "bpecodes"}) {
      fixture.files.push_back({of, std::string("fairseq/new/") + of});
    }
    import(name, fixture, "checkpoint_best.pt",
           [&](const fs::path& theirs) { replace_file(theirs / changed, times(line, 60'000'000 / line.size())); });
  };
  import_with("fairseq: dictionary of 60 MB", "dict.en.txt", "aaaa 1\n");
  import_with("fairseq: codes of 60 MB", "bpecodes", "a b\n");
  }

  TEST_F(HostileModels, OfOurOwnAreRefused) {
    const auto change = [](const fs::path& at, const Json& changes) {
      Json config = parse_json(text_of(at / "config.json"), "config.json");
      config["model"].update(changes);
      replace_file(at / "config.json", config.dump());
    };
    translate_changed("ours: d-model is 2^24", [&](const fs::path& at) { change(at, {{"d-model", 1 << 24}}); });
    translate_changed("ours: d-ff is 2^24", [&](const fs::path& at) { change(at, {{"d-ff", 1 << 24}}); });
    translate_changed("ours: 1,000 layers of each side", [&](const fs::path& at) {
      change(at, {{"encoder-layers", 1000}, {"decoder-layers", 1000}});
    });
    const std::string lists = "[" + times("[],", 80'000) + "0]";
    translate_changed("ours: provenance of 240 kB of lists", [&](const fs::path& at) {
      Json config = parse_json(text_of(at / "config.json"), "config.json");
      config["provenance"] = parse_json(lists, "lists");
      replace_file(at / "config.json", config.dump());
    });
    for (const int count : {5'000'000, 200'000}) {
      translate_changed(join("ours: ", count, " pieces"), [&](const fs::path& at) {
        replace_file(at / "tokenizer.model", times("\n\3\n\1a", static_cast<std::size_t>(count)));
      });
    }
    translate_changed("ours: 60 MB of codes", [&](const fs::path& at) {
      replace_file(at / "tokenizer.model", "{\"codes\":\"\",\"tokens\":[" + times("\"a\",", 15'000'000) + "0]}");
    });
    translate_changed("ours: languages.json of 480 kB", [&](const fs::path& at) {
      replace_file(at / "languages.json", "{\"en\":" + lists + ",\"de\":" + lists + "}");
    });
  }

  }  // namespace
  }  // namespace dragoman
