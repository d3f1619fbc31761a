// Models in several files: "name-00001-of-00003.gguf" and its siblings.

#include "engine/model/model_file.hpp"
#include "tests/engine/model/refusal.hpp"
#include "tests/support/tiny_gguf.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace neap::test {
namespace {

using model::gguf_type;

constexpr std::size_t part_count = 3;

class split_files_test : public testing::Test {
 protected:
  split_files_test() : whole_(tiny_gguf()) {
    parts_[0].values = whole_.values;
    for (std::size_t i = 0; i < whole_.tensors.size(); ++i)
      parts_[i % part_count].tensors.push_back(whole_.tensors[i]);
    for (std::size_t i = 0; i < part_count; ++i) {
      set(i, "split.no", i);
      set(i, "split.count", part_count);
      parts_[i].raw("split.tensors.count", raw_number(gguf_type::i32) +
                                               raw_number(static_cast<std::int32_t>(whole_.tensors.size())));
    }
  }

  void set(std::size_t part, const std::string& key, std::size_t value) {
    parts_[part].raw(key, raw_number(gguf_type::u16) + raw_number(static_cast<std::uint16_t>(value)));
  }

  static std::string name(std::size_t number, std::size_t count = part_count) {
    return "neap-split-" + std::to_string(getpid()) + "-0000" + std::to_string(number) + "-of-0000" +
           std::to_string(count) + ".gguf";
  }

  // Writes all parts; the first one's path.
  std::filesystem::path write() {
    for (auto& file : files_) file.reset();
    for (std::size_t i = 0; i < part_count; ++i)
      files_[i] = std::make_unique<temporary_file>(parts_[i].bytes(), name(i + 1));
    return files_[0]->path();
  }

  void expect_broken(const std::string& named) {
    expect_refused(write(), error_code::invalid_model_file, named);
  }

  gguf_writer whole_;
  std::array<gguf_writer, part_count> parts_;
  std::array<std::unique_ptr<temporary_file>, part_count> files_;
};

TEST_F(split_files_test, all_parts_together_are_the_model) {
  const auto opened = model::open_model(write());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->file.tensors().size(), whole_.tensors.size());
  std::size_t bytes = 0;
  for (const auto& file : files_) bytes += std::filesystem::file_size(file->path());
  EXPECT_EQ(opened->file.file_bytes(), bytes);
  for (const auto& each : whole_.tensors) {
    const auto* tensor = opened->file.find_tensor(each.name);
    ASSERT_NE(tensor, nullptr) << each.name;
    EXPECT_EQ(std::memcmp(tensor->data, each.data.data(), each.data.size()), 0) << each.name;
  }
}

TEST_F(split_files_test, a_missing_part_is_named) {
  const auto first = write();
  for (const std::size_t part : {std::size_t{2}, std::size_t{1}}) {
    files_[part].reset();
    expect_refused(first, error_code::invalid_model_file, name(part + 1));
  }
}

TEST_F(split_files_test, a_broken_part_is_named) {
  parts_[1].version = 9;
  expect_broken(name(2) + "': GGUF: version 9");
}

TEST_F(split_files_test, only_the_first_part_opens_a_model) {
  write();
  expect_refused(files_[1]->path(), error_code::invalid_model_file, "open the first part");
}

TEST_F(split_files_test, part_numbers_must_agree_with_the_names) {
  set(2, "split.no", 1);
  expect_broken(name(3) + "': split.no is not 2");
  parts_[2].remove("split.no");
  expect_broken(name(3) + "': split.no is not 2");
}

TEST_F(split_files_test, part_counts_must_agree_with_the_names) {
  set(1, "split.count", 4);
  expect_broken(name(2) + "': split.count is not 3");
  parts_[1].text("split.count", "3");
  expect_broken(name(2) + "': split.count is not 3");
}

TEST_F(split_files_test, tensor_counts_must_agree) {
  parts_[2].tensors.pop_back();
  expect_broken("split.tensors.count is 20, the parts hold 19 tensors");
}

TEST_F(split_files_test, a_tensor_is_in_one_part_only) {
  parts_[2].tensors.back() = whole_.tensors.front();
  expect_broken("tensor 'token_embd.weight' is there twice");
}

TEST_F(split_files_test, one_part_under_another_name_is_refused) {
  const temporary_file file{parts_[0].bytes()};
  expect_refused(file.path(), error_code::invalid_model_file, "is one part of a split model");
}

TEST_F(split_files_test, impossible_counts_in_the_name) {
  for (const auto& [number, count] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {0, 0}, {4, 3}}) {
    const temporary_file file{parts_[0].bytes(), name(number, count)};
    expect_refused(file.path(), error_code::invalid_model_file, "the name counts");
  }
  const temporary_file file{parts_[0].bytes(), name(0)};
  expect_refused(file.path(), error_code::invalid_model_file, "open the first part");
}

TEST_F(split_files_test, one_of_one_is_a_whole_model) {
  const temporary_file file{whole_.bytes(), name(1, 1)};
  const auto opened = model::open_model(file.path());
  EXPECT_TRUE(opened) << opened.error().message;
}

}  // namespace
}  // namespace neap::test
