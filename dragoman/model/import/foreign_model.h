// Another program's model after reading: everything that is needed to write it as one of ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/parameters.h"
#include "dragoman/model/foreign/vocabulary_plan.h"
#include "dragoman/model/import/package.h"

namespace dragoman::model {

// What the files do not say, or what replaces it: BCP 47, or empty. A model that translates into several languages is
// imported for one of them.
struct ImportLanguages {
  std::string source, target;
};

struct ForeignModel {
  std::string kind;  // for people: "a MarianMT model of Transformers"
  foreign::Network network = {};
  foreign::Origin origin = foreign::Origin::kTransformers;
  foreign::Tensors tensors = {};   // read from the files when they are needed
  std::string weights = {};        // the file of the weights in messages, in quotes
  std::uint64_t weight_bytes = 0;  // of that file, which may be packed
  foreign::VocabularyPlan source_words = {}, target_words = {};
  std::string source_tokenizer = {}, target_tokenizer = {};  // files of tokenizers with our ids
  ImportLanguages languages = {};
  std::string search = "{}";  // for write_search()

  // The words that the rows of a parameter belong to.
  const foreign::VocabularyPlan& words(foreign::Rows rows) const {
    return rows == foreign::Rows::kSourceWords ? source_words : target_words;
  }
};

// The settings of a search as the other programs name them.
struct ForeignSearch {
  std::string rules;  // a value of --rules
  int beam = 4;
  double length_penalty = 1;
  std::string stop = "provable";  // a value of --stop
  int least_tokens = 0;           // of a translation, its end not counted
};
// Throws an Error if the file has fewer tensors than the network has layers, so that lists of layers may be made.
void require_layers(const ForeignModel& model);
// As write_search() expects it.
std::string search_text(const ForeignSearch& search);

// These readers throw an Error that names the file, and the key where there is one, if the model is damaged or cannot
// be expressed as one of ours.
// A directory of Transformers with a MarianMT model: config.json, model.safetensors or pytorch_model.bin, source.spm,
// target.spm and vocab.json.
ForeignModel read_marian(const Package& package, const ImportLanguages& languages);
// A directory of Transformers with an M2M100 model: the same, with sentencepiece.bpe.model for both languages, which
// have to be given.
ForeignModel read_m2m100(const Package& package, const ImportLanguages& languages);
// A directory of CTranslate2: model.bin, config.json and vocabularies. `pieces` has the SentencePiece models, of which
// CTranslate2 knows nothing; usually they are beside these files.
ForeignModel read_ctranslate2_model(const Package& package, const Package& pieces, const ImportLanguages& languages);
// A package of Argos: metadata.json, sentencepiece.model, and a directory of CTranslate2.
ForeignModel read_argos(const Package& package, const ImportLanguages& languages);

// A checkpoint of fairseq (.pt), with dict.SOURCE.txt, dict.TARGET.txt and the codes of subword-nmt or fastBPE in its
// directory, or in a directory "data" below or beside that. The languages have to be given if the checkpoint does not
// name them.
ForeignModel read_fairseq(const std::filesystem::path& checkpoint, const ImportLanguages& languages);
// The file that read_fairseq() needs, if `from` is that file, or a directory with it; else nothing.
std::optional<std::filesystem::path> find_fairseq_checkpoint(const std::filesystem::path& from);

// Recognises the model that is in a file or a directory, and reads it. Throws an Error if it is of an unknown kind.
ForeignModel read_foreign_model(const std::filesystem::path& from, const ImportLanguages& languages);

}  // namespace dragoman::model
