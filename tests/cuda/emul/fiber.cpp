#include "tests/cuda/emul/fiber.hpp"

#include "tests/cuda/emul/sanitizer_hooks.hpp"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace neap::cuda_emul {
namespace {

constexpr std::size_t guard_bytes = 4096;

}  // namespace

fiber::fiber() {
  void* mapping =
      mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, guard_bytes, PROT_NONE);
}

fiber::~fiber() {
  if (race_fiber_ != nullptr) hooks::drop_race_fiber(race_fiber_);
  hooks::fresh_stack(mapping_ + guard_bytes, stack_bytes);
  munmap(mapping_, guard_bytes + stack_bytes);
}

void fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  if (race_fiber_ != nullptr) hooks::drop_race_fiber(race_fiber_);
  race_fiber_ = hooks::make_race_fiber();
  fake_stack_ = nullptr;
  hooks::fresh_stack(mapping_ + guard_bytes, stack_bytes);
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = mapping_ + guard_bytes;
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  // makecontext passes ints only: the pointer goes in two halves.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&fiber::entry), 2, static_cast<unsigned>(self >> 32U),
              static_cast<unsigned>(self));
}

void fiber::resume() {
  void* own_fake_stack = nullptr;
  race_outside_ = hooks::this_race_fiber();
  hooks::before_switch(&own_fake_stack, mapping_ + guard_bytes, stack_bytes);
  hooks::switch_race_fiber(race_fiber_);
  swapcontext(&outside_, &inside_);
  hooks::after_switch(own_fake_stack, nullptr, nullptr);
}

void fiber::suspend() { leave(false); }

void fiber::leave(bool for_good) {
  hooks::before_switch(for_good ? nullptr : &fake_stack_, outside_stack_, outside_bytes_);
  hooks::switch_race_fiber(race_outside_);
  swapcontext(&inside_, &outside_);
  hooks::after_switch(fake_stack_, &outside_stack_, &outside_bytes_);
}

void fiber::entry(unsigned high, unsigned low) {
  const auto address = (static_cast<std::uintptr_t>(high) << 32U) | low;
  auto* self = reinterpret_cast<fiber*>(address);
  hooks::after_switch(nullptr, &self->outside_stack_, &self->outside_bytes_);
  self->body_();
  self->leave(true);
}

}  // namespace neap::cuda_emul
