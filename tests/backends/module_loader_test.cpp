#include "backends/backend_factory.hpp"

#include <gtest/gtest.h>

namespace neap::backend {
namespace {

void expect_unavailable(const std::string& path, const std::string& part) {
  const auto opened = open_cuda_backend(path);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, error_code::device_unavailable);
  EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  EXPECT_NE(opened.error().message.find(part), std::string::npos) << opened.error().message;
}

TEST(module_loader, a_missing_module_is_one_line) {
  expect_unavailable("/nonexistent/libneap-cuda.so", "/nonexistent/libneap-cuda.so");
  expect_unavailable("libneap-no-such-module.so", "libneap-no-such-module.so");
}

TEST(module_loader, no_path_means_the_module_of_the_build) {
  expect_unavailable("", "cannot use backend module libneap-cuda.so: ");
}

TEST(module_loader, a_library_that_is_no_backend) { expect_unavailable("libm.so.6", "no Neap backend"); }

TEST(module_loader, a_file_that_is_no_library) { expect_unavailable("/proc/self/cmdline", "/proc/self"); }

}  // namespace
}  // namespace neap::backend
