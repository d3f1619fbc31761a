// The real module through the real loader: with a device it must compute right, without one say so in one
// line.

#include "backends/backend.hpp"

#include <gtest/gtest.h>

#include <string>

namespace neap::backend {
namespace {

TEST(cuda_module, opens_on_a_device_and_names_what_is_missing_without_one) {
  auto opened = open_cuda_backend(NEAP_CUDA_MODULE);
  if (!opened) {
    const auto& message = opened.error().message;
    EXPECT_EQ(opened.error().code, error_code::device_unavailable);
    // Anything but this, a missing library for one, is a fault of the build.
    EXPECT_NE(message.find("no CUDA device: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return;
  }
  const auto device = (*opened)->device();
  EXPECT_EQ(device.kind, "cuda");
  EXPECT_TRUE(device.instructions.starts_with("sm_")) << device.instructions;
  EXPECT_GT(device.memory_bytes, 0U);
  EXPECT_EQ((*opened)->load({}).error().code, error_code::unsupported_model);
  EXPECT_FALSE((*opened)->run({}));
}

}  // namespace
}  // namespace neap::backend
