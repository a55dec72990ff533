#include "dragoman/decode/lines/search_of_model.h"

#include "dragoman/base/fields_json.h"
#include "dragoman/model/files/search.h"

namespace dragoman::decode {

SearchSettings search_of_model(const std::filesystem::path& directory) {
  const std::string where = join("'", model::search_file(directory).string(), "'");
  SearchSettings search;
  settings_from_json(parse_json(model::read_search(directory), where), search, where);
  try {
    search.validate("");
  } catch (const UsageError& error) {
    throw Error(join(where, ": ", error.what()));
  }
  return search;
}

}  // namespace dragoman::decode
