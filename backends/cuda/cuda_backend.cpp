#include "backends/cuda/cuda_backend.hpp"

#include "backends/cuda/cuda_error.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/self_check.hpp"

#include <type_traits>
#include <utility>

namespace neap::backend::cuda {
namespace {

struct destroy_stream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using stream_owner = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroy_stream>;

error not_loaded() { return {error_code::internal, "the CUDA backend has no model", {}}; }

class cuda_backend final : public backend {
 public:
  cuda_backend(device_properties device, stream_owner stream)
      : device_(std::move(device)), stream_(std::move(stream)) {}

  device_properties device() const override { return device_; }

  result<model_index> load(const load_options&) override {
    return error{
        error_code::unsupported_model,
        "the CUDA backend cannot run models yet (it has RMSNorm and the matrix product); use the CPU backend",
        {}};
  }

  void unload(model_index) override {}
  model_properties properties(model_index) const override { return {}; }
  result<void> reserve_kv(model_index, std::uint32_t) override { return not_loaded(); }
  result<step_result> run(const batch_plan&) override { return not_loaded(); }
  void reset(model_index) override {}

 private:
  device_properties device_;
  stream_owner stream_;
};

}  // namespace

result<std::unique_ptr<backend>> make_cuda_backend() {
  auto device = open_device();
  if (!device) return device.error();
  cudaStream_t stream = nullptr;
  if (auto made = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream"); !made)
    return made.error();
  stream_owner owner(stream);
  if (auto sound = check_device(stream); !sound) return sound.error();
  return std::unique_ptr<backend>(std::make_unique<cuda_backend>(std::move(*device), std::move(owner)));
}

}  // namespace neap::backend::cuda
