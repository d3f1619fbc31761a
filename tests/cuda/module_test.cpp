// The real module through the real loader: it must load, and say in one line what is missing.

#include "backends/backend_factory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace neap::backend {
namespace {

TEST(cuda_module, names_what_is_missing) {
  const auto opened = open_cuda_backend(NEAP_CUDA_MODULE);
  ASSERT_FALSE(opened);
  const auto& message = opened.error().message;
  EXPECT_EQ(opened.error().code, error_code::device_unavailable);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  // Anything else, a missing library or a device that computes wrong, is a fault.
  const bool no_device = message.find("no CUDA device: ") != std::string::npos;
  const bool sound_device = message.find("computes right") != std::string::npos;
  EXPECT_TRUE(no_device || sound_device) << message;
}

}  // namespace
}  // namespace neap::backend
