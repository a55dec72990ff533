// Which of a server's languages a text is in.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/serve/api/models.h"

namespace dragoman::serve {

struct Detected {
  std::string language;
  double confidence = 0;  // in per cent
};

// All languages that the models know, the likeliest first. There is at least one.
std::vector<Detected> detect(const Models& models, const std::string& text);

// The likeliest language of each text.
std::vector<Detected> detect_each(const Models& models, const std::vector<std::string>& texts);

Json detected_json(const Detected& detected);

// The language to translate a request's texts from: that of the first text, or another that there is a model for if
// there is none from it to `target`.
std::string choose_source(const Models& models, const std::vector<Detected>& texts, const std::string& target);

}  // namespace dragoman::serve
