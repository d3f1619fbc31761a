#include "server/cli/line_editor.hpp"

#include "server/cli/interrupts.hpp"

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace neap::cli {
namespace {

constexpr int history_lines = 1000;

// Makes the folders and the file, all of them for the owner only.
bool prepare(const std::filesystem::path& file) {
  if (file.empty()) return false;
  std::error_code failure;
  std::filesystem::create_directories(file.parent_path().parent_path(), failure);
  ::mkdir(file.parent_path().c_str(), S_IRWXU);
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (opened < 0) return false;
  const bool mine = ::fchmod(opened, S_IRUSR | S_IWUSR) == 0;
  ::close(opened);
  return mine;
}

// Characters beyond ASCII can only be edited in a UTF-8 locale.
void use_utf8() {
  const char* locale = std::setlocale(LC_CTYPE, "");
  if (locale == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

// What libedit's callbacks need; it hands back what EL_CLIENTDATA was given.
struct callback_data {
  std::string prompt;
  const std::atomic<bool>& interrupted;
  std::atomic<bool>& continued;
};

callback_data& data_of(EditLine* editor) {
  callback_data* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return *data;
}

char* show_prompt(EditLine* editor) { return data_of(editor).prompt.data(); }

// The shell gave the terminal back in its own mode.
void take_terminal_again(EditLine* editor) {
  el_set(editor, EL_PREP_TERM, 0);  // libedit believes that it is still in the editing mode
  el_set(editor, EL_PREP_TERM, 1);
  el_set(editor, EL_REFRESH);
}

// Waits until a byte can be read. False if a signal asked to stop: also one that came while libedit did something
// else, which a plain read would sleep through.
bool wait_for_byte(EditLine* editor) {
  const auto& interrupted = data_of(editor).interrupted;
  auto& continued = data_of(editor).continued;
  sigset_t stopping;
  sigset_t before;
  sigemptyset(&stopping);
  for (const int signal : handled_signals) sigaddset(&stopping, signal);
  pthread_sigmask(SIG_BLOCK, &stopping, &before);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!interrupted) {
    if (continued.exchange(false)) take_terminal_again(editor);
    if (ppoll(&input, 1, nullptr, &before) >= 0 || errno != EINTR) break;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !interrupted;
}

// One character for libedit: 1, 0 at the end, -1 with errno.
int read_character(EditLine* editor, wchar_t* out) {
  std::mbstate_t state{};
  while (true) {
    if (!wait_for_byte(editor)) {
      errno = EINTR;
      return -1;
    }
    char byte = 0;
    const auto count = ::read(STDIN_FILENO, &byte, 1);
    if (count <= 0) return static_cast<int>(count);
    const auto length = std::mbrtowc(out, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-1)) state = {};  // no character of this locale: left out
    if (length <= 1) return 1;
  }
}

}  // namespace

struct line_editor::parts {
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  callback_data callbacks;
  std::string file;  // empty: not kept
  std::string note;
};

std::filesystem::path history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "neap" / "run_history";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return std::filesystem::path(home) / ".local" / "state" / "neap" / "run_history";
}

line_editor::line_editor(const std::filesystem::path& history, const std::atomic<bool>& interrupted,
                         std::atomic<bool>& continued)
    : parts_(new parts{.callbacks = {{}, interrupted, continued}}) {
  use_utf8();
  auto& p = *parts_;
  p.editor = el_init("neap", stdin, stdout, stderr);
  p.history = history_init();
  ::history(p.history, &p.event, H_SETSIZE, history_lines);
  ::history(p.history, &p.event, H_SETUNIQUE, 1);
  if (prepare(history)) {
    p.file = history.string();
    std::error_code ignored;
    const bool fresh = std::filesystem::file_size(history, ignored) == 0;
    if (!fresh && ::history(p.history, &p.event, H_LOAD, p.file.c_str()) < 0) {
      p.note = p.file + " is no history of questions; it stays as it is, and new questions are not kept";
      p.file.clear();
    }
  }
  if (p.editor == nullptr) return;
  el_set(p.editor, EL_CLIENTDATA, &p.callbacks);
  el_set(p.editor, EL_GETCFN, read_character);
  el_set(p.editor, EL_PROMPT, show_prompt);
  el_set(p.editor, EL_EDITOR, "emacs");
  el_set(p.editor, EL_HIST, ::history, p.history);
  el_set(p.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(p.editor, nullptr);  // the user's ~/.editrc
}

line_editor::~line_editor() {
  if (parts_->editor != nullptr) el_end(parts_->editor);
  history_end(parts_->history);
}

line_editor::outcome line_editor::read(const std::string& prompt, std::string& line) {
  auto& p = *parts_;
  if (p.editor == nullptr) return outcome::end;
  p.callbacks.prompt = prompt;
  int length = 0;
  errno = 0;
  const char* text = el_gets(p.editor, &length);
  if (text == nullptr || length <= 0) {
    const bool interrupted = errno == EINTR;
    el_reset(p.editor);
    return interrupted ? outcome::interrupted : outcome::end;
  }
  line.assign(text, static_cast<std::size_t>(length));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return outcome::line;
}

const std::string& line_editor::note() const { return parts_->note; }

void line_editor::remember(const std::string& line) {
  auto& p = *parts_;
  ::history(p.history, &p.event, H_ENTER, line.c_str());
  if (!p.file.empty()) ::history(p.history, &p.event, H_SAVE, p.file.c_str());
}

}  // namespace neap::cli
