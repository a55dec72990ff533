// Checks the name of a file that a command will write, before the work and not after it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::cli {

// Throws a UsageError if the path is a directory, lies in a directory that does not exist, or is one of the inputs or a
// file of a model or a run, and an Error if the system does not allow to write it. An empty path and "-" are accepted.
// `allowed` is the name of a file of a run that the command may replace, such as report.html.
void check_output_file(const std::string& path, const std::vector<std::string>& inputs = {},
                       std::string_view allowed = {});

// Throws a UsageError if a page would be written to a terminal, or if its file has no name. `example` is a good name.
void require_page_output(const std::string& path, std::string_view example);

// Throws a UsageError if the path is one of the inputs or a file of a model or a run, except for the `allowed` one.
void require_no_input(const std::string& path, const std::vector<std::string>& inputs, std::string_view allowed = {});

}  // namespace dragoman::cli
