#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/model/foreign/torch_file.h"
#include "dragoman/model/import/foreign_model.h"
#include "dragoman/model/registry/foreign_networks.h"
#include "dragoman/text/pieces/bpe_codes.h"
#include "dragoman/text/pieces/piece_model.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSourceEmbedding = "encoder.embed_tokens.weight",
                     *kTargetEmbedding = "decoder.embed_tokens.weight";

std::string dictionary_file(const std::string& language) { return join("dict.", language, ".txt"); }

// The languages that a directory has dictionaries for.
std::set<std::string> languages_in(const fs::path& directory) {
  std::set<std::string> languages;
  if (!fs::is_directory(status_of(directory))) return languages;
  for (const fs::path& path : list_directory(directory)) {
    const std::string name = path.filename().string();
    const std::string language = name.size() > 9 ? name.substr(5, name.size() - 9) : "";
    if (name == dictionary_file(language)) languages.insert(language);
  }
  return languages;
}

// Training reads text from a directory of its own, so models are often passed on with a directory "data".
Package find_data(const fs::path& checkpoint) {
  const fs::path directory = checkpoint.has_parent_path() ? checkpoint.parent_path() : ".";
  for (const fs::path& data : {directory, directory / "data", (directory / ".." / "data").lexically_normal()}) {
    if (!languages_in(data).empty()) return Package(data);
  }
  throw Error(join("'", checkpoint.string(),
                   "' needs its dictionaries; copy the two files 'dict.LANGUAGE.txt' into its directory."));
}

struct FairseqReader {
  const fs::path& checkpoint;
  const ImportLanguages& given;
  std::string where = join("'", checkpoint.string(), "'");
  foreign::TorchFile file{foreign::file_bytes(checkpoint)};
  Package data = find_data(checkpoint);
  std::uint64_t weight_bytes = fs::file_size(checkpoint);
  text::VocabularyLimits limits = text::VocabularyLimits::of_weights(weight_bytes);

  ForeignModel read() {
    const foreign::Pickle& object = file.object();
    ForeignModel model{.kind = "a model of fairseq",
                       .network = foreign::fairseq_network(object, where),
                       .origin = foreign::Origin::kFairseq,
                       .weights = where,
                       .weight_bytes = weight_bytes,
                       .search = search_text({.rules = "transformers", .beam = 5, .stop = "beam", .least_tokens = 1})};
    const foreign::Pickle::Value* weights = object.find(object.root(), "model");
    require<Error>(weights != nullptr, where, " is not a checkpoint of fairseq: it has no 'model'.");
    model.tensors = file.tensors(*weights);
    require_layers(model);
    const ImportLanguages names = languages();
    const foreign::Dictionary source = dictionary(model, names.source, kSourceEmbedding);
    const foreign::Dictionary target = dictionary(model, names.target, kTargetEmbedding);
    require<Error>(model.network.tie != Tie::kThreeWay || source.tokens() == target.tokens(), where,
                   ": 'share_all_embeddings' is set, but the dictionaries differ.");
    model.network.source_vocabulary = static_cast<int>(source.size());
    model.network.target_vocabulary = static_cast<int>(target.size());
    require_all_taken(model);
    model.source_words = plan(source);
    model.target_words = plan(target);
    const std::string codes = read_codes();
    model.source_tokenizer = tokenizer(model.source_words, codes);
    model.target_tokenizer = tokenizer(model.target_words, codes);
    model.languages = {.source = given.source.empty() ? names.source : given.source,
                       .target = given.target.empty() ? names.target : given.target};
    return model;
  }

  // The names of the dictionaries. fairseq itself reads the languages from the names of the training data if it is not
  // told, and their directory is usually called NAME.SOURCE-TARGET.
  ImportLanguages languages() const {
    const std::set<std::string> known = languages_in(data.path());
    const auto setting = [&](const char* key) { return foreign::fairseq_setting(file.object(), key, where); };
    ImportLanguages names{.source = setting("source_lang"), .target = setting("target_lang")};
    const std::string trained_on = setting("data");
    for (const std::string& source : known) {
      for (const std::string& target : known) {
        if (!names.source.empty() || !names.target.empty()) break;
        if (trained_on.ends_with(join(".", source, "-", target))) names = {.source = source, .target = target};
      }
    }
    if (names.source.empty()) names.source = given.source;
    if (names.target.empty()) names.target = given.target;
    require<UsageError>(!names.source.empty() && !names.target.empty(), where,
                        " does not name its languages; name them as the dictionaries 'dict.LANGUAGE.txt' do, with "
                        "--source-language and --target-language.");
    return names;
  }

  foreign::Dictionary dictionary(const ForeignModel& model, const std::string& language, const char* embedding) const {
    const std::string name = dictionary_file(language);
    foreign::Dictionary words = foreign::parse_fairseq_dictionary(data.words(name, limits), data.where(name));
    const auto shape = foreign::tensor_named(model.tensors, embedding, where).shape;
    require<Error>(shape.size() == 2 && shape[0] == words.size(), data.where(name), " has ", words.size(),
                   " tokens with the four special ones, but the tensor '", embedding, "' does not have as many rows.");
    return words;
  }

  // <pad> and <s> take part in the softmax.
  foreign::VocabularyPlan plan(const foreign::Dictionary& words) const {
    return foreign::plan_vocabulary(words, {.pad = "<pad>", .begin = "<s>"}, foreign::Padding::kInSoftmax, {}, where);
  }

  // The first two names are those that fairseq looks for.
  std::string read_codes() const {
    const auto name = data.first_of({"bpecodes", "code", "codes", "bpe.codes", "bpe.code"});
    require<Error>(name.has_value(), data.where(),
                   " has no codes of subword-nmt or fastBPE; copy them there under the name 'bpecodes'.");
    std::string codes = data.words(*name, limits);
    text::BpeCodes(codes, data.where(*name));  // so that a message names the file
    return codes;
  }

  static std::string tokenizer(const foreign::VocabularyPlan& words, const std::string& codes) {
    std::vector<std::string> tokens;
    for (const foreign::VocabularyPlan::Row& row : words.rows) tokens.push_back(row.token);
    return text::bpe_file(codes, tokens);
  }

  // A tensor that the network here has no place for would change the results.
  void require_all_taken(const ForeignModel& model) const {
    // Copies of an embedding if it is tied.
    std::set<std::string> known{kTargetEmbedding, "decoder.output_projection.weight", "decoder.embed_out"};
    for (const foreign::Parameter& parameter : foreign_parameters(config_of(model.network), model.origin)) {
      for (const foreign::Place& place : parameter.places) known.insert(place.tensor);
    }
    for (const auto& [name, tensor] : model.tensors) {
      const bool is_bookkeeping = name.ends_with(".version") || name.ends_with("._float_tensor");
      require<Error>(is_bookkeeping || known.contains(name), where, " has the tensor ", in_quotes(name),
                     ", for which this program has no place.");
    }
  }
};

}  // namespace

std::optional<fs::path> find_fairseq_checkpoint(const fs::path& from) {
  const auto is_file = [](const fs::path& path) { return fs::is_regular_file(status_of(path)); };
  if (is_file(from)) return from.extension() == ".pt" ? std::optional(from) : std::nullopt;
  constexpr std::array kNames{"checkpoint_best.pt", "checkpoint_last.pt", "model.pt"};
  for (const char* folder : {"", "checkpoints"}) {
    for (const char* name : kNames) {
      if (is_file(from / folder / name)) return from / folder / name;
    }
  }
  return std::nullopt;
}

ForeignModel read_fairseq(const fs::path& checkpoint, const ImportLanguages& languages) {
  return FairseqReader{.checkpoint = checkpoint, .given = languages}.read();
}

}  // namespace dragoman::model
