#pragma once
// The bytes of all request bodies together, so that many large requests cannot use up the memory.

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace neap::http {

class body_budget {
 public:
  explicit body_budget(std::size_t limit) : limit_(limit) {}

  std::size_t used() const noexcept { return used_; }

 private:
  friend class body_lease;
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

// One request's share; given back at the end, on whatever thread that is.
class body_lease {
 public:
  body_lease() = default;
  explicit body_lease(std::shared_ptr<body_budget> from) : budget_(std::move(from)) {}
  body_lease(body_lease&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  body_lease& operator=(body_lease&& other) = delete;
  ~body_lease() {
    if (budget_ != nullptr) budget_->used_ -= bytes_;
  }

  // Makes the share this large; false, and no change, if the budget does not have as much. The io thread
  // only.
  bool grow_to(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    const auto more = bytes - bytes_;
    if (more > budget_->limit_ - budget_->used_) return false;
    budget_->used_ += more;
    bytes_ = bytes;
    return true;
  }

 private:
  std::shared_ptr<body_budget> budget_;
  std::size_t bytes_ = 0;
};

}  // namespace neap::http
