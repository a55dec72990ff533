// Handlers of the LibreTranslate interface: its paths, with the same fields in requests and answers.
#pragma once

#include <memory>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// POST /translate: {q, source, target, format?, alternatives?} -> {translatedText, alternatives?, detectedLanguage?}.
void libre_translate(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
// POST /detect: {q} -> [{language, confidence}].
void libre_detect(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
// GET /languages -> [{code, name, targets}].
void libre_languages(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
// GET /frontend/settings: what a web page needs to know about the server.
void libre_settings(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
