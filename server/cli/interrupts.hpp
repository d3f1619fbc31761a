#pragma once
// Signals of an interactive command: they cancel what runs, and wake a read of the terminal. SIGINT does no more,
// SIGTERM, SIGHUP and SIGQUIT end the command in order, so that the terminal is as it was. SIGCONT is told to the
// reader, whose terminal another program may have changed.

#include <array>
#include <atomic>
#include <csignal>
#include <functional>

namespace neap::cli {

// All that are handled: a reader blocks them while it looks at what they set.
inline constexpr std::array handled_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT};

class interrupts {
 public:
  // For the thread that reads the terminal. Until ready() a signal calls `end_now` with 128 + signal. SIGPIPE
  // is ignored. One object at a time.
  explicit interrupts(std::function<void(int)> end_now);
  ~interrupts();

  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  // From now on a signal only sets what follows.
  void ready();

  // True from a signal on until clear(); one that ends the command stays.
  const std::atomic<bool>& asked() const;
  void clear();
  // The last signal but SIGCONT, 0 for none.
  int last_signal() const;
  bool terminated() const;
  // True from SIGCONT on; the reader sets it back.
  std::atomic<bool>& continued();
};

}  // namespace neap::cli
