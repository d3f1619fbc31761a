#include "server/cli/interrupts.hpp"

#include <csignal>
#include <pthread.h>
#include <utility>

namespace neap::cli {
namespace {

// A handler has no other place to leave a word. All are lock-free or written before the handler is set.
std::atomic<bool> asked_flag{false};
std::atomic<bool> terminated_flag{false};
std::atomic<bool> ready_flag{false};
std::atomic<bool> continued_flag{false};
std::atomic<int> last{0};
std::function<void(int)> end_process;
pthread_t reading_thread;

void handle(int signal) {
  if (signal == SIGCONT) {
    continued_flag = true;
  } else {
    if (!ready_flag) end_process(128 + signal);
    last = signal;
    asked_flag = true;
    if (signal != SIGINT) terminated_flag = true;
  }
  // Only the thread that reads the terminal is woken from it.
  if (pthread_equal(pthread_self(), reading_thread) == 0) pthread_kill(reading_thread, signal);
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int signal : handled_signals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // ignored: nohup, a job in the background
  }
}

}  // namespace

interrupts::interrupts(std::function<void(int)> end_now) {
  std::signal(SIGPIPE, SIG_IGN);
  end_process = std::move(end_now);
  reading_thread = pthread_self();
  asked_flag = terminated_flag = ready_flag = continued_flag = false;
  last = 0;
  set_handler(handle);
}

interrupts::~interrupts() { set_handler(SIG_DFL); }

void interrupts::ready() { ready_flag = true; }

const std::atomic<bool>& interrupts::asked() const { return asked_flag; }

void interrupts::clear() {
  if (!terminated_flag) asked_flag = false;
}

int interrupts::last_signal() const { return last; }

bool interrupts::terminated() const { return terminated_flag; }

std::atomic<bool>& interrupts::continued() { return continued_flag; }

}  // namespace neap::cli
