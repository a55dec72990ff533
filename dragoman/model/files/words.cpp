#include "dragoman/model/files/words.h"

#include <algorithm>

#include "dragoman/base/files.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/base/utf8.h"
#include "dragoman/model/files/info.h"

namespace dragoman::model {

namespace fs = std::filesystem;

constexpr std::size_t kLargestWordsFile = 1 << 20;  // bytes; a model with more words is not said to know few

fs::path words_file(const fs::path& directory) { return described_in(directory) / "words.txt"; }

void write_words(const fs::path& directory, const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  replace_file(words_file(directory), text);
}

std::vector<std::string> read_words(const fs::path& directory) {
  const fs::path file = words_file(directory);
  if (!fs::exists(status_of(file))) return {};
  const std::string text = read_plain_file(file, kLargestWordsFile);
  require<Error>(!first_invalid_utf8(text), "'", file.string(), "' is not UTF-8 text; remove it.");
  std::vector<std::string> words;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    if (end > first) words.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return words;
}

void copy_words(const fs::path& from, const fs::path& to) {
  const fs::path file = words_file(from);
  if (fs::exists(status_of(file))) replace_file(words_file(to), read_plain_file(file, kLargestWordsFile));
}

}  // namespace dragoman::model
