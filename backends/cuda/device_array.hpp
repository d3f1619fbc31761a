#pragma once
// Device memory with an owner.

#include "backends/cuda/cuda_error.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace neap::backend::cuda {

struct device_free {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};

// `size` values of T on the current device, freed with the object.
template <class T>
class device_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Uninitialised memory. Errors: out_of_memory.
  static result<device_array> make(std::size_t size) {
    void* memory = nullptr;
    if (const auto status = cudaMalloc(&memory, size * sizeof(T)); status != cudaSuccess)
      return cuda_failure(status, "allocate device memory");
    return device_array(static_cast<T*>(memory), size);
  }

  // A copy of `values`, in place for work that is queued on `stream` later. Blocks.
  static result<device_array> copy_of(std::span<const T> values, cudaStream_t stream) {
    auto made = make(values.size());
    if (!made) return made;
    auto copied = copy(made->data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream);
    if (!copied) return copied.error();
    return made;
  }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }

  // The values, after all work queued on `stream`. Blocks.
  result<std::vector<T>> to_host(cudaStream_t stream) const {
    std::vector<T> values(size_);
    auto copied = copy(values.data(), data(), size_ * sizeof(T), cudaMemcpyDeviceToHost, stream);
    if (!copied) return copied.error();
    return values;
  }

 private:
  // On the stream and waited for: plain cudaMemcpy may return before the data has arrived, and a stream that
  // does not block on the default one would then read too early.
  static result<void> copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t stream) {
    if (auto queued = check(cudaMemcpyAsync(to, from, bytes, kind, stream), "copy to or from the device");
        !queued)
      return queued;
    return check(cudaStreamSynchronize(stream), "wait for the device");
  }

  device_array(T* memory, std::size_t size) : memory_(memory), size_(size) {}

  std::unique_ptr<T, device_free> memory_;
  std::size_t size_;
};

}  // namespace neap::backend::cuda
