#include "tests/engine/model/allocation_watch.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> total{0};

}  // namespace

namespace neap::test {

std::size_t allocated_bytes() noexcept { return total.load(std::memory_order_relaxed); }

}  // namespace neap::test

void* operator new(std::size_t size) {
  total.fetch_add(size, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
