#pragma once
// A function with a stack of its own that can be left and entered again, on one operating system thread.

#include <cstddef>
#include <functional>
#include <ucontext.h>

namespace neap::cuda_emul {

class fiber {
 public:
  fiber();
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  // Sets the function that the next resume() begins. What ran before, finished or not, is dropped without
  // running destructors.
  void start(std::function<void()> body);

  // Runs the function until it suspends or ends. Not from inside a fiber.
  void resume();

  // Leaves the function; resume() comes back here. Only from inside the fiber.
  void suspend();

 private:
  static void entry(unsigned high, unsigned low);
  void leave(bool for_good);

  static constexpr std::size_t stack_bytes = 64UL * 1024;

  std::byte* mapping_ = nullptr;  // guard page, then the stack
  ucontext_t inside_{};
  ucontext_t outside_{};
  std::function<void()> body_;
  // For the sanitizers, which must know of each change of stack.
  void* fake_stack_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
  void* race_fiber_ = nullptr;
  void* race_outside_ = nullptr;
};

}  // namespace neap::cuda_emul
