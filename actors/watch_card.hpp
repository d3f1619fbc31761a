#pragma once
// Counters that an actor keeps about itself and that any thread may read.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace neap::actors {

// Written by the senders (received) and by the actor (the rest).
struct watch_card {
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> handled{0};
  std::atomic<std::int64_t> busy_since{0};  // steady clock, nanoseconds; 0 between messages
  std::atomic<std::int64_t> busy_total{0};  // nanoseconds in messages that are done
  const std::int64_t born = now();

  static std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// What has a card.
class watched {
 public:
  virtual ~watched() = default;
  watch_card& card() noexcept { return card_; }
  const watch_card& card() const noexcept { return card_; }

 private:
  watch_card card_;
};

// The time of one message.
class busy_span {
 public:
  explicit busy_span(watch_card& card) noexcept : card_(card), begin_(watch_card::now()) {
    card_.busy_since.store(begin_, std::memory_order_relaxed);
  }
  ~busy_span() {
    card_.busy_total.fetch_add(watch_card::now() - begin_, std::memory_order_relaxed);
    card_.handled.fetch_add(1, std::memory_order_relaxed);
    card_.busy_since.store(0, std::memory_order_relaxed);
  }
  busy_span(const busy_span&) = delete;
  busy_span& operator=(const busy_span&) = delete;

 private:
  watch_card& card_;
  std::int64_t begin_;
};

}  // namespace neap::actors
