#include "dragoman/cli/line_editor.h"

#include <histedit.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "dragoman/base/utf8.h"
#include "dragoman/cli/show/progress.h"

namespace dragoman::cli {
namespace {

constexpr wchar_t kControlD = 4;
// A byte that is not UTF-8 is kept in a line as a code that no text has: a surrogate.
constexpr wchar_t kNotUtf8 = 0xDC00;

bool is_kept_byte(wchar_t code) { return code >= kNotUtf8 + 0x80 && code <= kNotUtf8 + 0xFF; }

// While an object of this class exists, this thread classifies and writes characters as UTF-8. libedit asks the locale
// for both. Other threads, and how numbers are written, stay as they are.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = ::uselocale(locale_);
  }
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  bool exists() const { return locale_ != nullptr; }

 private:
  locale_t locale_, before_ = nullptr;
};

// Signals that end or stop the program or that say that the terminal has another size.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};

std::array<struct sigaction, kSignals.size()> actions_before{};
termios mode_before{};
volatile std::sig_atomic_t must_redraw = 0;

// Does what the signal would do if no line was edited, with the terminal as it was before. If the program goes on, for
// example because it was stopped and continues, so does the editing.
extern "C" void leave_terminal_meanwhile(int signal) {
  const int error = errno;
  termios editing{};
  ::tcgetattr(STDIN_FILENO, &editing);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
  const auto index = static_cast<std::size_t>(std::ranges::find(kSignals, signal) - kSignals.begin());
  struct sigaction ours {};
  ::sigaction(signal, &actions_before[index], &ours);
  sigset_t only_this;
  ::sigemptyset(&only_this);
  ::sigaddset(&only_this, signal);
  ::raise(signal);  // takes effect when it is not blocked any more
  ::pthread_sigmask(SIG_UNBLOCK, &only_this, nullptr);
  ::pthread_sigmask(SIG_BLOCK, &only_this, nullptr);
  ::sigaction(signal, &ours, nullptr);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &editing);
  must_redraw = 1;
  errno = error;
}

// While an object of this class exists, these signals leave the terminal as it was before. Ignored ones stay ignored.
class TerminalGuard {
 public:
  TerminalGuard() {
    ::tcgetattr(STDIN_FILENO, &mode_before);
    struct sigaction leave {};
    leave.sa_handler = leave_terminal_meanwhile;  // without SA_RESTART, so that read() ends and the line is drawn again
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &actions_before[i]);
      if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &leave, nullptr);
    }
  }
  ~TerminalGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_before[i], nullptr);
  }
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;
};

// Whether no further byte can change what the first character of the bytes is.
bool is_decided(std::string_view bytes) {
  if (bytes.empty()) return false;
  const bool is_cut_off = bytes.size() > 1 && (static_cast<unsigned char>(bytes.back()) & 0xC0U) != 0x80U;
  return is_cut_off || bytes.size() >= character_bytes(bytes.front());
}

// Removes the first character.
wchar_t take_character(std::string& bytes) {
  const std::size_t count = character_bytes(bytes.front());
  if (first_invalid_utf8(std::string_view(bytes).substr(0, count))) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.erase(0, 1);
    return kNotUtf8 + byte;
  }
  std::size_t at = 0;
  const char32_t code = next_code_point(bytes, at);
  bytes.erase(0, count);
  return static_cast<wchar_t>(code);
}

}  // namespace

struct LineEditor::State {
  std::wstring prompt;
  std::string bytes = {};  // read, but not used yet
  EditLine* editor = nullptr;
  HistoryW* history = nullptr;

  static State& of(EditLine* editor) {
    void* state = nullptr;
    ::el_wget(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }
  static wchar_t* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  // Returns 1, 0 at the end of the input, and -1 if reading fails.
  static int read_character(EditLine* editor, wchar_t* character) {
    std::string& bytes = of(editor).bytes;
    while (!is_decided(bytes)) {
      char byte = 0;
      const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
      if (got == 1) {
        bytes += byte;
      } else if (got == 0 || errno != EINTR) {
        return static_cast<int>(got);
      } else if (std::exchange(must_redraw, 0) != 0) {
        ::el_resize(editor);
        std::fputs("\r", stderr);  // the new drawing covers the old one
        ::el_wset(editor, EL_REFRESH);
      }
    }
    *character = take_character(bytes);
    // While a line is translated the terminal is not in the mode for editing. It then keeps Ctrl-D as a zero byte.
    if (*character == 0) *character = kControlD;
    return 1;
  }

  static unsigned char end_or_delete(EditLine* editor, int) {
    const LineInfoW* line = ::el_wline(editor);
    if (line->buffer == line->lastchar) return CC_EOF;
    if (line->cursor == line->lastchar) return CC_ERROR;
    ::el_cursor(editor, 1);
    ::el_wdeletestr(editor, 1);
    return CC_REFRESH;
  }
};

bool LineEditor::is_built_in() { return true; }

bool LineEditor::is_possible() {
  const char* terminal = std::getenv("TERM");  // standard_error() knows about "dumb"
  return terminal != nullptr && *terminal != '\0' && standard_error().terminal && ::isatty(STDIN_FILENO) == 1 &&
         Utf8Locale().exists();
}

LineEditor::LineEditor(std::string prompt) : state_(new State{.prompt = std::wstring(prompt.begin(), prompt.end())}) {
  const Utf8Locale in_utf8;
  EditLine* editor = state_->editor = ::el_init("dragoman", stdin, stderr, stderr);
  HistoryW* history = state_->history = ::history_winit();
  ::el_wset(editor, EL_CLIENTDATA, state_.get());
  ::el_wset(editor, EL_PROMPT, State::prompt_of);
  ::el_wset(editor, EL_GETCFN, State::read_character);
  ::el_wset(editor, EL_EDITOR, L"emacs");
  ::el_wset(editor, EL_ADDFN, L"end-or-delete", L"end in an empty line, otherwise delete a character",
            State::end_or_delete);
  // Keys for which libedit has nothing, or something unusual: a tab is a part of the text.
  constexpr std::pair<const wchar_t*, const wchar_t*> kKeys[] = {
      {L"^D", L"end-or-delete"},      {L"\t", L"ed-insert"},          {L"\\e[3~", L"ed-delete-next-char"},
      {L"\\e[1~", L"ed-move-to-beg"}, {L"\\e[4~", L"ed-move-to-end"}, {L"\\e[H", L"ed-move-to-beg"},
      {L"\\e[F", L"ed-move-to-end"},  {L"\\eOH", L"ed-move-to-beg"},  {L"\\eOF", L"ed-move-to-end"},
      {L"\\e[1;5C", L"em-next-word"}, {L"\\e[1;5D", L"ed-prev-word"}, {L"^R", L"em-inc-search-prev"},
      {L"^W", L"ed-delete-prev-word"}};
  for (const auto& [key, function] : kKeys) ::el_wset(editor, EL_BIND, key, function, nullptr);
  constexpr int kRemembered = 1000;
  HistEventW event{};
  ::history_w(history, &event, H_SETSIZE, kRemembered);
  ::history_w(history, &event, H_SETUNIQUE, 1);  // a line that is repeated is remembered once
  ::el_wset(editor, EL_HIST, ::history_w, history);
}

LineEditor::~LineEditor() {
  ::history_wend(state_->history);
  ::el_end(state_->editor);
}

bool LineEditor::next(std::string& line) {
  const Utf8Locale in_utf8;
  const TerminalGuard guard;
  ::el_resize(state_->editor);
  ::el_wset(state_->editor, EL_PREP_TERM, 1);  // before the prompt, so that all that is typed after it is edited
  int count = 0;
  const wchar_t* typed = ::el_wgets(state_->editor, &count);
  if (typed == nullptr || count <= 0) return false;
  std::wstring_view codes(typed, static_cast<std::size_t>(count));
  while (!codes.empty() && (codes.back() == L'\n' || codes.back() == L'\r')) codes.remove_suffix(1);
  line.clear();
  for (const wchar_t code : codes) {
    is_kept_byte(code) ? line.push_back(static_cast<char>(code - kNotUtf8))
                       : append_utf8(line, static_cast<char32_t>(code));
  }
  HistEventW event{};
  if (codes.find_first_not_of(L" \t") != std::wstring_view::npos) ::history_w(state_->history, &event, H_ENTER, typed);
  return true;
}

}  // namespace dragoman::cli
