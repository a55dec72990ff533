// The handler of our own interface, which offers all settings and results of a translation.
#pragma once

#include <memory>

#include "dragoman/serve/api/context.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

// POST /v1/translate: {q, source?, target?, the settings of a search, prefix?, heads_off?, alignment?, trace?, stream?}
// -> {translations: [{text, sentences: [{source, text, score, ...}]}]}. With "stream": true the answer is server-sent
// events: `text` events with more of a translation, which is never taken back, then one `done` event with the whole
// answer, or `error`.
void v1_translate(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);

}  // namespace dragoman::serve
