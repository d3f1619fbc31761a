#include "backends/cpu/mapped_memory.hpp"

#include <sys/mman.h>
#include <utility>

namespace neap::backend::cpu {

mapped_memory::mapped_memory(mapped_memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

mapped_memory& mapped_memory::operator=(mapped_memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

mapped_memory::~mapped_memory() {
  if (data_ != nullptr) munmap(data_, size_);
}

mapped_memory mapped_memory::reserve(std::size_t bytes) {
  mapped_memory memory;
  if (bytes == 0) return memory;
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return memory;
  memory.data_ = static_cast<std::byte*>(data);
  memory.size_ = bytes;
  return memory;
}

void mapped_memory::prefer_huge_pages() const noexcept {
  if (data_ != nullptr) madvise(data_, size_, MADV_HUGEPAGE);
}

}  // namespace neap::backend::cpu
