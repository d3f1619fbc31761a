#include "tests/engine/model/refusal.hpp"

#include "engine/model/model_file.hpp"
#include "tests/engine/model/allocation_watch.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace neap::test {

void expect_plain_line(const error& reason) {
  EXPECT_FALSE(reason.message.empty());
  EXPECT_LE(reason.message.size(), 700U) << reason.message;  // two names of at most 200 bytes and prose
  EXPECT_TRUE(std::all_of(reason.message.begin(), reason.message.end(), [](char c) {
    return c >= 0x20 && c < 0x7F;
  })) << testing::PrintToString(reason.message);
}

void expect_refused(const std::filesystem::path& path, error_code code, const std::string& named) {
  constexpr std::size_t memory_limit = std::size_t{2} << 20;
  const auto before = allocated_bytes();
  const auto begin = std::chrono::steady_clock::now();
  const auto opened = model::open_model(path);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto file_bytes = std::filesystem::is_regular_file(path) ? std::filesystem::file_size(path) : 0;
  EXPECT_LT(allocated_bytes() - before, memory_limit + std::min<std::size_t>(file_bytes, memory_limit * 2));
  EXPECT_LT(seconds, 1.0);
  ASSERT_FALSE(opened) << "not refused; expected: " << named;
  EXPECT_EQ(opened.error().code, code) << opened.error().message;
  EXPECT_THAT(opened.error().message, testing::HasSubstr(named));
  expect_plain_line(opened.error());
}

void expect_class_refused(const broken_class& each, const std::string& architecture) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    seeded_random random{seed};
    auto writer = tiny_gguf({.architecture = architecture, .seed = seed});
    const auto named = each.break_it(writer, random);
    SCOPED_TRACE(each.name + ", seed " + std::to_string(seed));
    const temporary_file file{writer.bytes()};
    expect_refused(file.path(), each.code, named);
  }
}

}  // namespace neap::test
