// R1: cut and randomly changed files are refused or opened, never a crash or a read outside the file.

#include "engine/model/model_file.hpp"
#include "tests/engine/model/allocation_watch.hpp"
#include "tests/engine/model/refusal.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <sys/stat.h>

namespace neap::test {
namespace {

// Reads every byte that the model offers, as a loader would.
void read_all(const model::model_file& model) {
  for (const auto& tensor : model.file.tensors()) {
    std::vector<float> row(tensor.shape[0]);
    const auto size = kernels::row_bytes(tensor.type, row.size());
    for (std::size_t at = 0; at < tensor.bytes; at += size)
      kernels::dequantize_row(tensor.type, tensor.data + at, row.size(), row.data());
  }
  EXPECT_TRUE(model.file.get_strings("tokenizer.ggml.tokens"));
}

// Opens a damaged file; returns whether it opened.
bool survive(const std::filesystem::path& path) {
  const auto before = allocated_bytes();
  const auto opened = model::open_model(path);
  EXPECT_LT(allocated_bytes() - before, std::size_t{2} << 20);
  if (opened)
    read_all(*opened);
  else
    expect_plain_line(opened.error());
  return opened.has_value();
}

std::size_t end_of_data(const gguf_writer& writer) {
  const auto padding = (32 - writer.tensors.back().data.size() % 32) % 32;
  return writer.bytes().size() - padding;
}

TEST(damaged_files, cut_anywhere_in_the_header) {
  const auto writer = tiny_gguf({.layers = 1});
  const temporary_file file{writer.bytes()};
  for (auto size = writer.header().size() + 64; size-- > 0;) {
    std::filesystem::resize_file(file.path(), size);
    ASSERT_FALSE(survive(file.path())) << size;
  }
}

TEST(damaged_files, cut_anywhere_in_the_data) {
  const auto writer = tiny_gguf({.q8_0 = true});
  const auto bytes = writer.bytes();
  const auto end = end_of_data(writer);
  std::set<std::size_t> sizes{end - 1};
  seeded_random random{5};
  for (int i = 0; i < 256; ++i)
    sizes.insert(writer.header().size() + random() % (end - writer.header().size()));
  const temporary_file file{bytes};
  EXPECT_TRUE(survive(file.path()));
  std::filesystem::resize_file(file.path(), end);
  EXPECT_TRUE(survive(file.path()));
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    std::filesystem::resize_file(file.path(), *size);
    ASSERT_FALSE(survive(file.path())) << *size;
  }
}

// Sizes, counts and offsets at which arithmetic goes wrong.
std::uint64_t nasty_number(seeded_random& random) {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  const std::array<std::uint64_t, 12> list{0,
                                           1,
                                           0x7F,
                                           0xFFFF,
                                           0x7FFFFFFF,
                                           0xFFFFFFFF,
                                           std::uint64_t{1} << 32,
                                           largest >> 1,
                                           (largest >> 1) + 1,
                                           largest - 31,
                                           largest / 400,
                                           largest};
  return list[random() % list.size()];
}

void change_some(std::string& bytes, std::size_t limit, seeded_random& random) {
  const auto changes = 1 + random() % 4;
  for (unsigned i = 0; i < changes; ++i) {
    const auto at = random() % (limit - 8);
    if (random() % 2 == 0) {
      bytes[at] = static_cast<char>(random());
      continue;
    }
    const auto number = raw_number(nasty_number(random));
    const std::size_t width = random() % 2 == 0 ? 4 : 8;
    bytes.replace(at, width, number, 0, width);
  }
}

void expect_mutations_survive(const std::string& architecture, unsigned rounds) {
  const auto writer = tiny_gguf({.architecture = architecture, .layers = 1, .q8_0 = true});
  const auto sound = writer.bytes();
  const auto header = writer.header().size();
  const temporary_file file{sound};
  seeded_random random{17};
  unsigned opened = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    auto bytes = sound;
    change_some(bytes, i % 8 == 0 ? bytes.size() : header, random);
    file.write(bytes);
    if (survive(file.path())) ++opened;
    if (testing::Test::HasFailure()) FAIL() << architecture << ", round " << i;
  }
  // Some changes hit only names and weights, most hit the structure.
  EXPECT_GT(opened, rounds / 20);
  EXPECT_LT(opened, rounds * 19 / 20);
}

TEST(damaged_files, random_changes_llama) { expect_mutations_survive("llama", 2000); }
TEST(damaged_files, random_changes_qwen2) { expect_mutations_survive("qwen2", 1500); }
TEST(damaged_files, random_changes_gemma3) { expect_mutations_survive("gemma3", 1500); }

TEST(damaged_files, what_is_no_file) {
  const std::filesystem::path folder = testing::TempDir();
  expect_refused(folder, error_code::invalid_model_file, "not a regular file");
  const temporary_file empty{""};
  expect_refused(empty.path(), error_code::invalid_model_file, "empty");
  const auto missing = model::open_model(folder / "no-such\n.gguf");
  ASSERT_FALSE(missing);
  expect_plain_line(missing.error());
  const temporary_file short_file{"GGU"};
  expect_refused(short_file.path(), error_code::invalid_model_file, "magic");
}

TEST(damaged_files, a_pipe_does_not_block) {
  const auto path = std::filesystem::path{testing::TempDir()} / "neap-pipe.gguf";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto opened = model::open_model(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("not a regular file"), std::string::npos);
}

// 128 MiB of empty strings, mostly a hole on disk: their views alone would take 256 MiB.
TEST(damaged_files, an_array_of_many_empty_strings_is_not_unpacked) {
  constexpr std::uint64_t count = std::uint64_t{1} << 24;
  auto writer = tiny_gguf();
  writer.raw("tokenizer.ggml.tokens",
             raw_number(model::gguf_type::array) + raw_number(model::gguf_type::string) + raw_number(count));
  std::rotate(writer.values.begin(), writer.values.end() - 1, writer.values.end());
  const temporary_file file{writer.header()};
  std::filesystem::resize_file(file.path(), std::uint64_t{128} << 20);
  const auto before = allocated_bytes();
  expect_refused(file.path(), error_code::invalid_model_file, "has 16777216 elements");
  EXPECT_LT(allocated_bytes() - before, std::size_t{1} << 20);
}

}  // namespace
}  // namespace neap::test
