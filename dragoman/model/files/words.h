// Reads and writes words.txt in a model directory: the words of the source language that a model was trained on. A
// model that knows few words, such as the demo's, has this file, so that its users can be told what it does not know.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::model {

std::filesystem::path words_file(const std::filesystem::path& directory);

// Replaces the file atomically. Words have no line breaks.
void write_words(const std::filesystem::path& directory, const std::vector<std::string>& words);
// Empty if there is no such file. Throws an Error that names the file if it cannot be read or is not UTF-8.
std::vector<std::string> read_words(const std::filesystem::path& directory);

// Copies the file, if there is one.
void copy_words(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::model
