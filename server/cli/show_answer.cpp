#include "server/cli/chat_session.hpp"
#include "server/cli/report.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace neap::cli {
namespace {

void note_fallback() {
  std::fputs("neap: note: this model has no chat template; it goes on with the text as it stands\n", stderr);
}

// Control characters could move the cursor or set the terminal's title; a file or a pipe gets the text as it
// is.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\n' && c != '\t') continue;
    if (byte != 0x7f) out += c;
  }
  return out;
}

// Standard output took no more: quiet for a reader that left, a line for a full disk.
int write_failed(int reason) {
  if (reason == EPIPE) return 128 + SIGPIPE;
  return report({error_code::internal, std::string("cannot write to standard output: ") + std::strerror(reason), {}});
}

}  // namespace

int show_answer(chat::chat_state& state, chat::chat_backend& backend, interrupts& signals, bool timings) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  bool broken = false;
  int reason = 0;
  char last = '\n';
  const auto show = [&](std::string_view text) {
    const std::string shown = terminal ? printable(text) : std::string(text);
    if (!shown.empty()) last = shown.back();
    errno = 0;
    broken = std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() || std::fflush(stdout) != 0;
    if (broken) reason = errno;
    return !broken;
  };
  signals.clear();
  const auto outcome = chat::answer_open_question(state, backend, show, signals.asked(), note_fallback);
  if (broken) return write_failed(reason);
  if (last != '\n' || outcome) std::fputs("\n", stdout);
  if (std::fflush(stdout) != 0) return write_failed(errno);
  if (outcome) {
    if (timings) std::fprintf(stderr, "[%s]\n", chat::describe(*outcome).c_str());
    return 0;
  }
  if (outcome.error().code == error_code::cancelled) return 128 + signals.last_signal();
  return report(outcome.error());
}

}  // namespace neap::cli
