#include "dragoman/model/import/package.h"

#include <algorithm>

#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/text/model_file.h"

namespace dragoman::model {

namespace fs = std::filesystem;

Package::Package(const fs::path& from) : path_(from) {
  const fs::file_status found = status_of(from);
  require<Error>(fs::exists(found), "there is no file or directory '", from.string(), "'.");
  if (fs::is_directory(found)) return;
  const foreign::Bytes bytes = foreign::file_bytes(from);
  require<Error>(foreign::looks_like_zip(*bytes), "'", from.string(),
                 "' is neither a package of Argos, nor a checkpoint of fairseq (.pt), nor a directory with a model.");
  zip_ = std::make_shared<foreign::ZipFile>(bytes);
  const std::vector<std::string> names = zip_->names();
  if (names.empty()) return;
  const std::string first = names.front().substr(0, names.front().find('/') + 1);
  if (std::ranges::all_of(names, [&](const std::string& name) { return name.starts_with(first); })) folder_ = first;
}

Package Package::inside(const std::string& folder) const {
  Package result = *this;
  result.path_ /= folder;
  result.folder_ += folder + "/";
  return result;
}

std::string Package::where(const std::string& file) const {
  return join("'", (file.empty() ? path_ : path_ / file).string(), "'");
}

bool Package::has(const std::string& file) const {
  return zip_ ? zip_->has(folder_ + file) : fs::is_regular_file(status_of(path_ / file));
}

std::optional<std::string> Package::first_of(const std::vector<std::string>& files) const {
  const auto found = std::ranges::find_if(files, [&](const std::string& file) { return has(file); });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

foreign::Bytes Package::open(const std::string& file) const {
  require<Error>(has(file), where(), " has no file ", in_quotes(file), ".");
  return zip_ ? zip_->open(folder_ + file) : foreign::file_bytes(path_ / file);
}

std::uint64_t Package::stored_bytes(const std::string& file) const {
  return zip_ ? zip_->stored_bytes(folder_ + file) : fs::file_size(path_ / file);
}

std::string Package::text(const std::string& file, std::uint64_t most) const {
  require<Error>(has(file), where(), " has no file ", in_quotes(file), ".");
  if (zip_) return zip_->text(folder_ + file, most);
  const foreign::Bytes bytes = foreign::file_bytes(path_ / file);
  require<Error>(bytes->size() <= most, where(file), " has ", bytes->size(), " bytes; at most ", most, " are read.");
  return bytes->text(0, bytes->size());
}

std::string Package::text(const std::string& file) const {
  constexpr std::uint64_t kLargestSettings = 1 << 20;
  return text(file, kLargestSettings);
}

std::string Package::words(const std::string& file, const text::VocabularyLimits& limits) const {
  std::string bytes = text(file, limits.bytes);
  const std::string extension = fs::path(file).extension().string();
  const bool is_pieces = extension == ".model" || extension == ".spm", is_json = extension == ".json";
  limits.require_words(is_pieces ? text::count_pieces(bytes, (path_ / file).string())
                       : is_json ? text::most_json_values(bytes)
                                 : static_cast<std::uint64_t>(std::ranges::count(bytes, '\n')),
                       where(file));
  return bytes;
}

}  // namespace dragoman::model
