// Reads and writes languages.json in a model directory: profiles of the model's languages, by which their text is
// recognised.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/text/language.h"

namespace dragoman::model {

std::filesystem::path languages_file(const std::filesystem::path& directory);

// Replaces the file atomically.
void write_languages(const std::filesystem::path& directory, const std::vector<text::KnownLanguage>& languages);
// The languages with these tags, each with its profile if the file has one. The file is optional. Throws an Error that
// names the file if it is damaged.
std::vector<text::KnownLanguage> read_languages(const std::filesystem::path& directory,
                                                const std::vector<std::string>& tags);

// Copies the file, if there is one.
void copy_languages(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::model
