// What a model's directory knows of its languages (languages.json): profiles by which their text is recognised.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/text/language.h"

namespace dragoman::model {

std::filesystem::path languages_file(const std::filesystem::path& directory);

// Replaces the file whole or not at all.
void write_languages(const std::filesystem::path& directory, const std::vector<text::KnownLanguage>& languages);
// The languages with these tags, each with its profile if the file has one. There need not be a file. Throws an Error
// that names it if it is damaged.
std::vector<text::KnownLanguage> read_languages(const std::filesystem::path& directory,
                                                const std::vector<std::string>& tags);

// Copies the file, if there is one.
void copy_languages(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::model
