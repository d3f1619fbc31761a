#include "backends/cpu/worker_pool.hpp"

#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace neap::backend::cpu {
namespace {

constexpr int spins_before_sleep = 2000;  // some 50 microseconds

void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

void wait_for_change(std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < spins_before_sleep; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

// Signals of the process belong to its main thread.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t old_{};
};

}  // namespace

worker_pool::worker_pool(std::uint32_t threads, int nice) : size_(threads == 0 ? 1 : threads) {
  const signals_blocked guard;
  threads_.reserve(size_ - 1);
  try {
    for (std::uint32_t rank = 1; rank < size_; ++rank)
      threads_.emplace_back([this, rank, nice] { worker(rank, nice); });
  } catch (...) {
    stop_.store(true);
    jobs_.fetch_add(1);
    jobs_.notify_all();
    for (auto& thread : threads_) thread.join();
    throw;
  }
}

worker_pool::~worker_pool() {
  stop_.store(true);
  jobs_.fetch_add(1, std::memory_order_release);
  jobs_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void worker_pool::barrier() {
  const auto phase = phase_.load(std::memory_order_relaxed);  // cannot change before this thread arrives
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_) {
    wait_for_change(phase_, phase);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  next_.store(0, std::memory_order_relaxed);
  phase_.store(phase + 1, std::memory_order_release);
  phase_.notify_all();
}

void worker_pool::start_job() {
  jobs_.fetch_add(1, std::memory_order_release);
  jobs_.notify_all();
  job_(context_, 0);
  barrier();
}

void worker_pool::worker(std::uint32_t rank, int nice) {
  pthread_setname_np(pthread_self(), "neap-compute");
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), nice);
  std::uint32_t seen = 0;
  while (true) {
    wait_for_change(jobs_, seen);
    ++seen;
    if (stop_.load(std::memory_order_acquire)) return;
    job_(context_, rank);
    barrier();
  }
}

}  // namespace neap::backend::cpu
