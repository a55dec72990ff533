#include "dragoman/model/foreign/vocabulary_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {
namespace {

constexpr float kNever = -1e30f;

// Whether text can be cut into such pieces.
bool is_produced(text::PieceKind kind) {
  return kind == text::PieceKind::kNormal || kind == text::PieceKind::kUserDefined || kind == text::PieceKind::kByte;
}

}  // namespace

void VocabularyPlan::each_run(std::int64_t longest, const std::function<void(const Run&)>& take) const {
  Run run;
  for (const Row& row : rows) {
    const bool continues = row.from && run.from ? *row.from == *run.from + run.count : row.from == run.from;
    if (run.count > 0 && (!continues || run.count == longest)) {
      take(run);
      run.count = 0;
    }
    if (run.count++ == 0) run.from = row.from;
  }
  if (run.count > 0) take(run);
}

void VocabularyPlan::require_rows(std::int64_t count, std::string_view where) const {
  for (const Row& row : rows) {
    require<Error>(!row.from || *row.from < count, where, " has no row for the token ", in_quotes(row.token), ".");
  }
}

std::vector<float> VocabularyPlan::output_bias(const std::vector<float>& values, std::string_view where) const {
  if (!values.empty()) require_rows(std::ssize(values), where);
  std::vector<float> bias(rows.size(), 0.0f);
  for (std::size_t id = 0; id < rows.size(); ++id) {
    if (rows[id].from && !values.empty()) bias[id] = values[static_cast<std::size_t>(*rows[id].from)];
    if (!rows[id].is_offered) bias[id] = kNever;
  }
  return bias;
}

VocabularyPlan plan_vocabulary(const Dictionary& dictionary, const SpecialTokens& special, Padding padding,
                               std::span<const text::ModelFile> sides, std::string_view where) {
  const auto id_of = [&](const std::string& token) {
    const auto id = dictionary.id(token);
    require<Error>(id.has_value(), where, " has no token ", in_quotes(token), ".");
    return *id;
  };
  const bool in_softmax = padding == Padding::kInSoftmax;
  const auto row_of = [&](const std::optional<std::string>& token) -> std::optional<std::int32_t> {
    return in_softmax && token ? std::optional(id_of(*token)) : std::nullopt;
  };
  const auto pad = row_of(special.pad), begin = row_of(special.begin);
  VocabularyPlan plan;
  plan.rows = {{"<pad>", pad, pad.has_value()},
               {"<s>", begin, begin.has_value()},
               {"</s>", id_of(special.end)},
               {"<unk>", id_of(special.unknown)}};
  std::set<std::string> known{special.end, special.unknown, special.pad.value_or("<pad>"),
                              special.begin.value_or("<s>")};
  for (std::int32_t id = 0; id < dictionary.size(); ++id) {
    const std::string& token = dictionary.tokens()[static_cast<std::size_t>(id)];
    if (known.insert(token).second) plan.rows.push_back({token, id});
  }
  for (const text::ModelFile& side : sides) {
    for (const text::Piece& piece : side.pieces) {
      if (!is_produced(piece.kind) || !known.insert(piece.text).second) continue;
      plan.rows.push_back({piece.text, plan.rows[kUnk].from, false});
      ++plan.unknown_pieces;
    }
  }
  return plan;
}

std::string planned_model(const VocabularyPlan& plan, std::string_view bytes, const std::string& name) {
  const text::ModelFile side = text::read_model_file(bytes, name);
  std::map<std::string_view, const text::Piece*> own;
  for (const text::Piece& piece : side.pieces) {
    if (is_produced(piece.kind)) own.emplace(piece.text, &piece);
  }
  std::vector<text::Piece> pieces;
  for (const VocabularyPlan::Row& row : plan.rows) {
    const auto id = static_cast<std::int32_t>(pieces.size());
    const auto found = own.find(row.token);
    if (id <= kUnk) {
      pieces.push_back({.text = row.token, .kind = id == kUnk ? text::PieceKind::kUnknown : text::PieceKind::kControl});
    } else if (found != own.end()) {
      pieces.push_back(*found->second);
    } else {
      pieces.push_back({.text = row.token, .kind = text::PieceKind::kUnused});
    }
  }
  return text::with_unknown_pieces(text::with_pieces(bytes, pieces, name), plan.unknown_pieces);
}

}  // namespace dragoman::model::foreign
