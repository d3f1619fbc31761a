#pragma once
// Memory from the operating system, page-aligned and zero. Pages become resident when first touched.

#include <cstddef>

namespace neap::backend::cpu {

class mapped_memory {
 public:
  mapped_memory() = default;
  mapped_memory(mapped_memory&& other) noexcept;
  mapped_memory& operator=(mapped_memory&& other) noexcept;
  ~mapped_memory();

  // Reserves `bytes`; data() is null where the system refuses (or for 0 bytes).
  static mapped_memory reserve(std::size_t bytes);

  // Asks for huge pages: fewer faults and TLB misses for what is filled wholly.
  void prefer_huge_pages() const noexcept;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Offsets of 64-byte aligned pieces in one region: first planned, then mapped.
class layout {
 public:
  // Offset of a new piece.
  std::size_t add(std::size_t bytes) noexcept {
    const auto offset = size_;
    size_ += (bytes + 63) / 64 * 64;
    return offset;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
};

}  // namespace neap::backend::cpu
