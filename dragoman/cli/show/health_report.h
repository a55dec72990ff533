// The result of `dragoman doctor`, as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "dragoman/base/json.h"
#include "dragoman/health/finding.h"

namespace dragoman::cli {

// The title, and a line for each finding; below it examples and what to do.
std::string section_text(const health::Section& section);

// "no errors, 2 warnings"
std::string summary_text(std::span<const health::Section> sections);

// {"errors": 0, "warnings": 2, "sections": [{"name": "processor", "facts": {...}, "findings": [...]}, ...]}
Json health_json(std::span<const health::Section> sections);

}  // namespace dragoman::cli
