// The editor of a build without libedit.
#include "dragoman/cli/line_editor.h"

namespace dragoman::cli {

struct LineEditor::State {};

bool LineEditor::is_built_in() { return false; }
bool LineEditor::is_possible() { return false; }
LineEditor::LineEditor(std::string) {}
LineEditor::~LineEditor() = default;
bool LineEditor::next(std::string&) { return false; }

}  // namespace dragoman::cli
