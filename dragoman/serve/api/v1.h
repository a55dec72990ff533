// The server's own interface: everything that a translation can be asked for.
#pragma once

#include <memory>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// POST /v1/translate: {q, source?, target?, the settings of a search, prefix?, heads_off?, alignment?, trace?, stream?}
// -> {translations: [{text, sentences: [{source, text, score, ...}]}]}. With "stream": true, server-sent events: `text`
// with more of a translation, which is never taken back, then `done` with the whole, or `error`.
void v1_translate(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
