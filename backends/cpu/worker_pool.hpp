#pragma once
// The compute threads of a backend. One job runs at a time, on all threads, the caller's included; inside it
// the threads go through phases: ranges shared out in chunks, each ended by a barrier. Waiting threads spin
// for some tens of microseconds and then sleep.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace neap::backend::cpu {

class worker_pool {
 public:
  // Starts threads - 1 threads named "neap-compute" with the given niceness. Throws std::system_error where
  // the system refuses a thread.
  worker_pool(std::uint32_t threads, int nice);
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  std::uint32_t size() const noexcept { return size_; }

  // Calls body(rank) once on each thread, ranks 0 (the caller) to size() - 1, and returns when all have
  // returned. One caller at a time; `body` must not throw.
  template <class Body>
  void run(Body&& body) {
    job_ = [](void* context, std::uint32_t rank) {
      (*static_cast<std::remove_reference_t<Body>*>(context))(rank);
    };
    context_ = const_cast<void*>(static_cast<const void*>(&body));
    start_job();
  }

  // Inside a job, called by all its threads with the same count and grain: work(begin, end) for chunks of
  // [0, count), in no particular order and on any thread. Returns when all chunks of all threads are done.
  template <class Work>
  void for_range(std::size_t count, std::size_t grain, Work&& work) {
    for (auto begin = next_.fetch_add(grain, std::memory_order_relaxed); begin < count;
         begin = next_.fetch_add(grain, std::memory_order_relaxed))
      work(begin, begin + grain < count ? begin + grain : count);
    barrier();
  }

  // Inside a job: waits for all threads.
  void barrier();

 private:
  void start_job();
  void worker(std::uint32_t rank, int nice);

  std::uint32_t size_;
  void (*job_)(void*, std::uint32_t) = nullptr;
  void* context_ = nullptr;
  std::vector<std::thread> threads_;
  alignas(64) std::atomic<std::uint32_t> jobs_{0};  // jobs started
  alignas(64) std::atomic<std::uint32_t> phase_{0};
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace neap::backend::cpu
