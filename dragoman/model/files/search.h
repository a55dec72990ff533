// Reads and writes search.json in a model directory: settings of the search that the model was made for. A model that
// was imported from another program has this file. They are the defaults of commands that translate with the model.
#pragma once

#include <filesystem>
#include <string>

namespace dragoman::model {

std::filesystem::path search_file(const std::filesystem::path& directory);

// `settings` is a JSON object as text, with names and values as the flags of a search have them. Replaces the file
// atomically.
void write_search(const std::filesystem::path& directory, const std::string& settings);
// "{}" if there is no such file.
std::string read_search(const std::filesystem::path& directory);

// Copies the file, if there is one.
void copy_search(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dragoman::model
