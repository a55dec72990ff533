// Models of Marian for several target languages. Which one is meant, they read from the first token of the source, such
// as ">>deu<<".
#pragma once

#include "dragoman/model/import/foreign_model.h"

namespace dragoman::model {

// If the source vocabulary has such tokens, lets every source begin with that of languages.target. Throws a UsageError
// that lists some of the languages if it is empty or is none of them. `where` names the model.
void begin_with_language_code(ForeignModel& model, const ImportLanguages& languages, std::string_view where);

}  // namespace dragoman::model
