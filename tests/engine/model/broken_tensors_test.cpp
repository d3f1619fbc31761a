// R1: broken tensor lists, each class with three seeds.

#include "tests/engine/model/refusal.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace neap::test {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t large = std::numeric_limits<std::int64_t>::max();

written_tensor& some_tensor(gguf_writer& file, seeded_random& random) {
  return file.tensors[random() % file.tensors.size()];
}

std::string quoted(const written_tensor& tensor) { return "'" + tensor.name + "'"; }

// Gives some tensor another shape; the refusal must name it.
std::string reshape(gguf_writer& file, seeded_random& random, std::vector<std::uint64_t> shape,
                    std::uint32_t type = 0) {
  auto& tensor = some_tensor(file, random);
  tensor.shape = std::move(shape);
  tensor.type = type;
  return quoted(tensor);
}

const std::vector<broken_class> shapes{
    {"no_dimensions",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.shape.clear();
       return quoted(tensor) + " has 0 dimensions";
     }},
    {"five_dimensions",
     [](auto& file, auto& random) {
       return reshape(file, random, {1, 1, 1, 1, 32});
     }},
    {"dimensions_huge",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.dimensions = 0xFFFFFFFFU - random() % 9;
       return quoted(tensor) + " has 42949672";
     }},
    {"size_0",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       const auto at = random() % tensor.shape.size();
       tensor.shape[at] = 0;
       return quoted(tensor) + " has size 0 in dimension " + std::to_string(at);
     }},
    {"c01_product_wraps_in_an_unknown_type",
     [](auto& file, auto& random) {
       return reshape(file, random, {large, 2}, 24);
     },
     error_code::unsupported_model},
    {"product_wraps_in_floats",
     [](auto& file, auto& random) {
       return reshape(file, random, {large, 2}, 0) + " is too large (dimension";
     }},
    {"product_wraps_in_halves",
     [](auto& file, auto& random) {
       return reshape(file, random, {2, large}, 1) + " is too large (dimension";
     }},
    {"product_wraps_in_blocks",
     [](auto& file, auto& random) {
       return reshape(file, random, {large - 31, 2}, 8) + " is too large (dimension";
     }},
    {"product_wraps_to_0",
     [](auto& file, auto& random) {
       return reshape(file, random, {std::uint64_t{1} << 32, std::uint64_t{1} << 32}) +
              " is too large (dimension";
     }},
    {"product_of_four_wraps_to_0",
     [](auto& file, auto& random) {
       return reshape(file, random, {65536, 65536, 65536, 65536}) + " is too large (dimension";
     }},
    {"product_of_four_wraps_to_little",
     [](auto& file, auto& random) {
       return reshape(file, random, {32, std::uint64_t{1} << 42, std::uint64_t{1} << 17, 2}) +
              " is too large (dimension";
     }},
    {"largest_sizes",
     [](auto& file, auto& random) {
       return reshape(file, random, {huge, huge, huge, huge}) + " is too large (dimension";
     }},
    {"c02_embedding_of_2_to_the_42_rows",
     [](auto& file, auto& random) {
       file.tensor("token_embd.weight").shape[1] = (std::uint64_t{1} << 42) + 1 + random() % 3;
       return "'token_embd.weight'";
     }},
    {"row_no_multiple_of_the_block",
     [](auto& file, auto& random) {
       return reshape(file, random, {33 + random() % 31, 1}, std::vector<unsigned>{2, 8, 12}[random() % 3]);
     }},
    {"row_shorter_than_a_block_of_256",
     [](auto& file, auto& random) {
       return reshape(file, random, {128, 1}, 12 + random() % 3);
     }},
};

const std::vector<broken_class> entries{
    {"removed_type", [](auto& file, auto& random) { return reshape(file, random, {32}, 4 + random() % 2); },
     error_code::unsupported_model},
    {"type_this_build_does_not_know",
     [](auto& file, auto& random) {
       return reshape(file, random, {256}, std::vector<unsigned>{10, 11, 16, 39}[random() % 4]);
     },
     error_code::unsupported_model},
    {"type_huge",
     [](auto& file, auto& random) { return reshape(file, random, {256}, 0xFFFFFFFFU - random() % 9); },
     error_code::unsupported_model},
    {"name_empty",
     [](auto& file, auto& random) {
       some_tensor(file, random).name.clear();
       return "tensor name ''";
     }},
    {"name_too_long",
     [](auto& file, auto& random) {
       some_tensor(file, random).name = std::string(65 + random() % 100000, '\xE9');
       return "tensor name '\\xe9";
     }},
    {"name_twice",
     [](auto& file, auto& random) {
       const auto name = some_tensor(file, random).name;
       file.tensor(name, {8}, 0, std::string(32, '\0'));
       return "'" + name + "' is there twice";
     }},
    {"name_of_bytes_that_are_no_text",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.name = "\xFF\n\x80";
       tensor.type = 99;
       return std::string{"'\\xff\\x0a\\x80'"};
     },
     error_code::unsupported_model},
    {"offset_not_aligned",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.offset = 1 + random() % 31;
       return quoted(tensor) + " has an offset that is not aligned";
     }},
    {"offset_past_the_end",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.offset = (std::uint64_t{1} << (20 + random() % 40));
       return quoted(tensor) + " needs";
     }},
    {"offset_wraps",
     [](auto& file, auto& random) {
       auto& tensor = some_tensor(file, random);
       tensor.offset = huge - 31 - 32 * (random() % 9);
       return quoted(tensor) + " needs";
     }},
    {"data_past_the_end_by_one_block",
     [](auto& file, auto&) {
       auto& tensor = file.tensors.back();
       tensor.data.resize(tensor.data.size() - 32);
       return quoted(tensor) + " needs";
     }},
    {"data_shared_by_two",
     [](auto& file, auto& random) {
       // Every offset in front is aligned, so any but the tensor's own is shared.
       auto& tensor = file.tensors[1 + random() % (file.tensors.size() - 1)];
       tensor.offset = 0;
       return "overlaps tensor '";
     }},
};

class broken_tensors_test : public testing::TestWithParam<broken_class> {};

TEST_P(broken_tensors_test, is_refused) { expect_class_refused(GetParam()); }

const auto name_of = [](const auto& each) { return each.param.name; };
INSTANTIATE_TEST_SUITE_P(shapes, broken_tensors_test, testing::ValuesIn(shapes), name_of);
INSTANTIATE_TEST_SUITE_P(entries, broken_tensors_test, testing::ValuesIn(entries), name_of);

}  // namespace
}  // namespace neap::test
