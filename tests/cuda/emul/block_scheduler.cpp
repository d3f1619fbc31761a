#include "tests/cuda/emul/block_scheduler.hpp"

#include "tests/cuda/emul/sanitizer_hooks.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace neap::cuda_emul {
namespace {

std::string place(const std::source_location& where) {
  const std::string_view path = where.file_name();
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(where.line());
}

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() && std::string_view(a.file_name()) == b.file_name();
}

}  // namespace

std::string block_scheduler::run(uint3 index, dim3 block, dim3 grid, std::size_t shared_bytes,
                                 const std::function<void()>& body) {
  block_index_ = index;
  block_ = block;
  grid_ = grid;
  prepare(shared_bytes, body);
  hooks::release(&launch_token_);
  while (failure_.empty() && count(state::exited) < size_) {
    const bool any = run_ready_threads();
    release_barrier();
    release_exchanges();
    if (failure_.empty() && !any) failure_ = blocked_report();
  }
  hooks::acquire(&end_token_);
  if (failure_.empty()) return {};
  return "block (" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) +
         "): " + failure_;
}

void block_scheduler::prepare(std::size_t shared_bytes, const std::function<void()>& body) {
  size_ = static_cast<std::size_t>(block_.x) * block_.y * block_.z;
  while (threads_.size() < size_) threads_.push_back(std::make_unique<device_thread>());
  // Shared memory starts as not-a-number, so reading it before writing shows.
  shared_unit poison{};
  poison.byte.fill(0xFF);
  shared_.assign((shared_bytes + 15) / 16, poison);
  failure_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    auto& thread = *threads_[i];
    const auto number = static_cast<unsigned>(i);
    thread.index = {number % block_.x, number / block_.x % block_.y, number / block_.x / block_.y};
    thread.state = state::ready;
    thread.fiber.start([this, &thread, &body] {
      hooks::acquire(&launch_token_);
      body();
      hooks::release(&end_token_);
      thread.state = state::exited;
    });
  }
}

void block_scheduler::run_thread(std::size_t number) {
  if (!failure_.empty() || threads_[number]->state != state::ready) return;
  current_ = number;
  threads_[number]->fiber.resume();
}

// True if any thread could run.
bool block_scheduler::run_ready_threads() {
  if (count(state::ready) == 0) return false;
  std::vector<std::size_t> turn(size_);
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  if (order_ == thread_order::reverse) std::reverse(turn.begin(), turn.end());
  if (order_ == thread_order::random) std::shuffle(turn.begin(), turn.end(), random_);
  for (const auto number : turn) run_thread(number);
  return true;
}

void block_scheduler::wait(state reason, std::source_location where) {
  auto& thread = *threads_[current_];
  thread.state = reason;
  thread.where = where;
  hooks::release(&end_token_);  // it may never run again
  thread.fiber.suspend();
}

void block_scheduler::barrier(std::source_location where) {
  hooks::release(&barrier_token_);
  wait(state::at_barrier, where);
  hooks::acquire(&barrier_token_);
}

void block_scheduler::release_barrier() {
  if (count(state::at_barrier) < size_) return;
  const auto& first = threads_[0]->where;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!same_place(threads_[i]->where, first)) {
      failure_ = "threads wait at different barriers: thread 0 at " + place(first) + ", thread " +
                 std::to_string(i) + " at " + place(threads_[i]->where);
      return;
    }
    threads_[i]->state = state::ready;
  }
}

lane_values block_scheduler::warp_exchange(unsigned mask, std::uint64_t value, std::source_location where) {
  auto& thread = *threads_[current_];
  if ((mask >> (current_ % lanes) & 1U) == 0U) {
    failure_ = "thread " + std::to_string(current_) + " is not in its own mask at " + place(where);
    wait(state::stuck, where);
  }
  thread.mask = mask;
  thread.value = value;
  wait(state::at_exchange, where);
  return thread.received;
}

// True if every lane of the mask of `first` waits at the same place with the same mask.
bool block_scheduler::exchange_complete(std::size_t warp_start, const device_thread& first) const {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if ((first.mask >> lane & 1U) == 0U) continue;
    if (warp_start + lane >= size_) return false;
    const auto& other = *threads_[warp_start + lane];
    if (other.state != state::at_exchange || other.mask != first.mask ||
        !same_place(other.where, first.where))
      return false;
  }
  return true;
}

void block_scheduler::release_exchanges() {
  for (std::size_t i = 0; i < size_; ++i) {
    const auto start = i / lanes * lanes;
    const auto& first = *threads_[i];
    if (first.state != state::at_exchange || !exchange_complete(start, first)) continue;
    lane_values values{};
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if ((first.mask >> lane & 1U) != 0U) values[lane] = threads_[start + lane]->value;
    const auto mask = first.mask;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if ((mask >> lane & 1U) == 0U) continue;
      threads_[start + lane]->received = values;
      threads_[start + lane]->state = state::ready;
    }
  }
}

std::size_t block_scheduler::count(state which) const {
  std::size_t found = 0;
  for (std::size_t i = 0; i < size_; ++i) found += threads_[i]->state == which ? 1U : 0U;
  return found;
}

std::string block_scheduler::blocked_report() const {
  std::string text = "no thread can run, " + std::to_string(count(state::exited)) + " of " +
                     std::to_string(size_) + " exited";
  for (std::size_t i = 0; i < size_; ++i) {
    const auto& thread = *threads_[i];
    if (thread.state == state::exited) continue;
    return text + "; thread " + std::to_string(i) + " waits at " +
           (thread.state == state::at_barrier ? "__syncthreads" : "a warp operation") + " (" +
           place(thread.where) + ")";
  }
  return text;
}

}  // namespace neap::cuda_emul
