// Detects which of the languages of the server a text is in.
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

// All languages of the models, the most likely first. There is at least one.
std::vector<Detected> detect(const Models& models, const std::string& text);

// The most likely language of each text.
std::vector<Detected> detect_each(const Models& models, const std::vector<std::string>& texts);

Json detected_json(const Detected& detected);

// The language to translate the texts of a request from: the language of the first text if there is a model from it to
// `target`, which may be empty for any. Else empty: then Models::find() takes the only model to `target`, and refuses
// the request if there are several.
std::string choose_source(const Models& models, const std::vector<Detected>& texts, const std::string& target);

}  // namespace dragoman::serve
