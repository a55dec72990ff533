#include "dragoman/train/report/table.h"

#include <algorithm>
#include <vector>

#include "dragoman/base/fields_json.h"

namespace dragoman::train {
namespace {

// The keys of all records, each where it first occurs.
std::vector<std::string> columns_of(std::span<const Json> records) {
  std::vector<std::string> columns;
  for (const Json& record : records) {
    for (const auto& [name, value] : record.items()) {
      if (!value.is_array() && std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

std::string cell(const Json& record, const std::string& name) {
  if (!record.contains(name)) return "";
  const Json& value = record[name];
  if (value.is_null()) return "nan";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string records_csv(std::span<const Json> records) {
  const std::vector<std::string> columns = columns_of(records);
  std::string table;
  for (const std::string& name : columns) table += (table.empty() ? "" : ",") + name;
  table += "\n";
  for (const Json& record : records) {
    for (std::size_t i = 0; i < columns.size(); ++i) table += (i == 0 ? "" : ",") + cell(record, columns[i]);
    table += "\n";
  }
  return table;
}

}  // namespace dragoman::train
