// The paths that clients of LibreTranslate know, with its shapes.
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
// GET /frontend/settings: what a page needs to know.
void libre_settings(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
