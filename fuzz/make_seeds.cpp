// Writes the inputs that the fuzzers start from, each a small valid file for its reader.
// Usage: make_seeds DIRECTORY
#include <cstdio>
#include <filesystem>
#include <limits>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/info.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/model/foreign/writers_testing.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/text/pieces/piece_model.h"
#include "dragoman/text/testing.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::fuzz {
namespace {

namespace fs = std::filesystem;

// Creates the directory and returns it.
fs::path made(const fs::path& directory) {
  make_directory(directory);
  return directory;
}

void write_safetensors_seeds(const fs::path& directory) {
  using model::StoredType;
  const std::vector<model::TensorLabel> labels = {
      {"W", {2, 3}, StoredType::kI8}, {"W.scale", {1, 3}, StoredType::kF32}, {"b", {3}, StoredType::kBF16}};
  model::SafetensorsWriter file(directory / "three-types", labels);
  file.write(std::vector<std::int8_t>(6, 1));
  file.write(std::vector<float>(3, 0.5f));
  file.write_bfloat16(std::vector<float>(3, 0.25f));
  file.finish();
  // The fuzzer also reads its input in another form: the header, a zero byte, the values. This is the same file in
  // that form.
  const std::string bytes = read_file(directory / "three-types");
  const std::size_t values = 6 + 3 * sizeof(float) + 3 * sizeof(std::uint16_t);
  replace_file(directory / "header-first",
               bytes.substr(8, bytes.size() - 8 - values) + '\0' + bytes.substr(bytes.size() - values));
}

void write_config_json_seeds(const fs::path& directory) {
  model::ModelInfo info;
  info.config = model::default_model();
  info.source_language = "en";
  info.provenance = R"({"weights":"drawn","steps":[1,2]})";
  model::write_info(directory, info);
}

void write_config_yaml_seeds(const fs::path& directory) {
  replace_file(directory / "kinds",
               "# every kind of value\nd-model: 512\nwindow: none\ntie: three-way\ndropout: 0.1\nbyte-fallback: yes\n"
               "train-source: [a.en, 'b.en']\nvalid-source: \"c\\u00e9.en\"\n");
  replace_file(directory / "anchors", "--- &a\n? heads\n: &b !!int 8\n\"layers\": *b\nnorm: >-\n  pre\n...\n");
}

void write_tokenizer_seeds(const fs::path& directory) {
  using text::TokenizerKind;
  const auto write = [&](const std::string& name, const text::TokenizerSettings& settings, int vocabulary) {
    replace_file(directory / name, text::toy_tokenizer(settings, vocabulary).bytes());
  };
  write("bpe", {.kind = TokenizerKind::kBpe}, 40);
  write("unigram", {.kind = TokenizerKind::kUnigram}, 40);
  write("char", {.kind = TokenizerKind::kChar}, 40);
  write("word", {.kind = TokenizerKind::kWord}, 20);
  write("bytes", {.byte_fallback = true}, 300);
  replace_file(directory / "codes",
               text::bpe_file("#version: 0.2\nt h\nth e</w>\n", {"<pad>", "<s>", "</s>", "<unk>", "the", "c@@", "at"}));
}

// The first byte is the size, less one, of the pieces in which the request is read.
void write_http_request_seeds(const fs::path& directory) {
  replace_file(directory / "two",
               "\x07GET http://host/a%20b?c=d+e&f HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
               "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello\r\n");
  replace_file(directory / "chunks",
               "\x01POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
               "3\r\nabc\r\n1f;note=\"x\"\r\n0123456789abcdef0123456789abcde\r\n0\r\nTrailer: t\r\n\r\n");
}

// The first byte selects a type from the fuzzer's list; "5" means that the first line names the type.
void write_request_body_seeds(const fs::path& directory) {
  replace_file(directory / "json",
               R"(0{"q": ["one", "\u00fc"], "target": "de", "beam": 4, "stream": true, "x": {"y": null}})");
  replace_file(directory / "form", "1q=one+%C3%BC&q=two&target=de&alternatives=3&trace=false");
  const std::string part = "\r\nContent-Disposition: form-data; name=\"q\"; filename=f\r\n\r\none\r\n--x";
  replace_file(directory / "parts", "2--x" + part + part + "--\r\n");
  replace_file(directory / "named", "5Multipart/Form-Data; charset=utf-8; boundary=\"x\"\n--x" + part + "--");
}

// The first byte selects a pair of languages from the fuzzer's list.
void write_document_seeds(const fs::path& directory) {
  replace_file(directory / "html",
               "0<p class=a>One <b>two&nbsp;<i>three</i></b>, z. B. 3. \"Four!\" <br/>five &lt; six.</p>\n<!-- x -->"
               "<pre>a <b>b</b></pre><span translate='no'>c</span> <a href=\"?a>b\">Seven? <i>eight</b> nine</a>");
  replace_file(directory / "plain",
               "1\xE4\xB8\x80\xE3\x80\x82\xE4\xBA\x8C\xEF\xBC\x81 One. Two.\n\n  Three\xE2\x80\xA6 ");
}

void write_languages_json_seeds(const fs::path& directory) {
  const std::vector<std::string> english{"the cat sees a house", "it is under the tree"}, german{"die Katze sieht es"};
  model::write_languages(directory,
                         {{"en", text::LanguageProfile(english)}, {"de", text::LanguageProfile(german)}, {"fr"}});
}

void write_metrics_seeds(const fs::path& directory) {
  train::MetricsFile file(directory / "run", 0);
  file.add(train::ProgressRecord{.step = 5, .epoch = 1, .losses = {{"loss", 6.5}}, .gradient_norm = 0.25});
  file.add(train::Validation{
      .step = 10, .scores = {{"nll", 5.5}, {"bleu", 1.5}}, .samples = {{"a", "b", "c"}}, .best = true});
  file.add(train::ProgressRecord{.step = 20, .losses = {{"nll", std::numeric_limits<double>::quiet_NaN()}}});
}

void write_probe_frames_seeds(const fs::path& directory) {
  replace_file(directory / "two",
               R"({"source":"a cat","look":{"src":["a","cat"],"tgt":["eine"],"text":"eine","finished":true,)"
               R"("attention":{"encoder":[[1,2]],"decoder":[],"cross":"AAAA"}}})"
               "\n"
               R"({"source":"\u00fc","look":null})"
               "\n");
}

void write_grammar_seeds(const fs::path& directory) {
  replace_file(directory / "small",
               "words Noun : sg pl gender haus\n  house houses | n Haus\n  a_cat ~ | f -\n"
               "table der : m f n\n  acc den die das\n"
               "category Phrase : case\n  rule definite 3 when case=acc/dat\n    N : Noun gender=f/n\n"
               "    number = sg | sg | pl\n    en = the {N.$number}\n    de = {der case N.gender} {N.haus}\n"
               "category Sentence\n  rule plain 1 # a comment\n    P : Phrase case=acc\n    source = {P.en}.\n"
               "    target = {P.de} \\\n      {der 'acc' 'n'}.\n  rule twice 0.5\n    S : Sentence\n"
               "    source = {S.source}, {S.source}\n    target = {S.target}\n"
               "respell target in_dem_ im_\nunseen definite twice\nunseen Noun Noun 5%\n");
}

void write_zip_seeds(const fs::path& directory) {
  using namespace model::foreign;
  const std::vector<ZipMember> members{{"a/b", "stored"}, {"c", "packed", deflated("packed")}};
  replace_file(directory / "small", zip_of(members));
  replace_file(directory / "large", zip_of(members, /*large=*/true));
  replace_file(directory / "repeated", zip_of({repeated("a", "abcde", 40)}));
}

// The first byte is 0 for a checkpoint, and 1 for a pickle.
void write_pickle_seeds(const fs::path& directory) {
  using namespace model::foreign;
  const std::string checkpoint(1, '\0'), pickle(1, '\1');
  replace_file(directory / "zip", checkpoint + torch_zip_of(saved_tensors()));
  replace_file(directory / "legacy", checkpoint + torch_legacy_of(saved_tensors()));
  replace_file(directory / "tensors", pickle + pickled::whole(pickled_tensors(saved_tensors(), false)));
  replace_file(directory / "shared", pickle + pickled::whole(pickled_shared_tensors(3, 4)));
  replace_file(directory / "settings",
               pickle + pickled::whole(pickled::dict(
                            {pickled::text("args"),
                             pickled::global("argparse", "Namespace") + ")\x81" +
                                 pickled::dict({pickled::text("encoder_layers"), pickled::integer(6)}) + "b"})));
}

void write_ctranslate2_seeds(const fs::path& directory) {
  using namespace model::foreign;
  for (const std::uint32_t version : {1u, 2u, 3u, 6u}) {
    replace_file(directory / ("version-" + std::to_string(version)),
                 ctranslate2_of(version, saved_variables(), {{"alias", "encoder/layer_norm/gamma"}}));
  }
  replace_file(directory / "config", R"({"bos_token": "<s>", "add_source_eos": true, "decoder_start_token": null})");
}

// The first byte selects a format from the fuzzer's list.
void write_dictionary_seeds(const fs::path& directory) {
  replace_file(directory / "fairseq", std::string(1, '\0') + "the 12\n@@a 3\nmadeupword0000 0\n");
  replace_file(directory / "vocab", "\1{\"</s>\": 0, \"a\": 2, \"<unk>\": 1}");
  replace_file(directory / "list", "\2[\"<unk>\", \"a\"]");
  replace_file(directory / "lines", "\3<unk>\r\na\r\n");
  replace_file(directory / "codes", "\4#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\n");
  replace_file(directory / "counts", "\4l o 30\nlo w</w> 20\n");
}

}  // namespace
}  // namespace dragoman::fuzz

int main(int argc, char** argv) {
  using namespace dragoman::fuzz;
  if (argc != 2) {
    std::fputs("usage: make_seeds DIRECTORY\n", stderr);
    return 2;
  }
  const fs::path directory = argv[1];
  write_safetensors_seeds(made(directory / "safetensors"));
  write_config_json_seeds(made(directory / "config_json"));
  write_config_yaml_seeds(made(directory / "config_yaml"));
  write_tokenizer_seeds(made(directory / "tokenizer"));
  write_http_request_seeds(made(directory / "http_request"));
  write_request_body_seeds(made(directory / "request_body"));
  write_document_seeds(made(directory / "document"));
  write_languages_json_seeds(made(directory / "languages_json"));
  write_metrics_seeds(made(directory / "metrics"));
  write_probe_frames_seeds(made(directory / "probe_frames"));
  write_grammar_seeds(made(directory / "grammar"));
  write_zip_seeds(made(directory / "zip"));
  write_pickle_seeds(made(directory / "pickle"));
  write_ctranslate2_seeds(made(directory / "ctranslate2"));
  write_dictionary_seeds(made(directory / "dictionary"));
  return 0;
}
