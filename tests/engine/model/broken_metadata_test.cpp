// R1: broken headers and metadata, each class with three seeds.

#include "tests/engine/model/refusal.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace neap::test {
namespace {

using model::gguf_type;

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

// Type and length of an array, without elements.
std::string array_head(std::uint32_t element, std::uint64_t count) {
  return raw_number(gguf_type::array) + raw_number(element) + raw_number(count);
}

std::string string_head(std::uint64_t length) { return raw_number(gguf_type::string) + raw_number(length); }

std::string some_key(const gguf_writer& file, seeded_random& random) {
  return file.values[random() % file.values.size()].first;
}

// Puts bytes in place of the value of some key, which the refusal must name.
std::string replace(gguf_writer& file, seeded_random& random, const std::string& bytes) {
  const auto key = some_key(file, random);
  file.raw(key, bytes);
  return "'" + key + "'";
}

// One more value is claimed and begins with these bytes.
void append(gguf_writer& file, const std::string& bytes) {
  file.values.back().second += bytes;
  file.value_count = file.values.size() + 1;
}

const std::vector<broken_class> preambles{
    {"magic_changed",
     [](auto& file, auto& random) {
       file.magic[random() % 4] ^= static_cast<char>(1 + random() % 255);
       return "magic";
     }},
    {"magic_of_other_formats",
     [](auto& file, auto& random) {
       file.magic = std::vector<std::string>{"FUGG", "ggml", std::string{"PK\3\4"}}[random() % 3];
       return "magic";
     }},
    {"version_0",
     [](auto& file, auto&) {
       file.version = 0;
       return "version 0";
     }},
    {"version_1",
     [](auto& file, auto&) {
       file.version = 1;
       return "version 1";
     }},
    {"version_unknown",
     [](auto& file, auto& random) {
       file.version = 4 + random() % 1000;
       return "version " + std::to_string(file.version);
     }},
    {"big_endian",
     [](auto& file, auto& random) {
       file.version = (2 + random() % 2) << 24;
       return "big-endian";
     }},
    {"c06_tensor_count_wraps_at_400_bytes",
     [](auto& file, auto& random) {
       file.tensor_count = huge / 400 + random() % 3;
       return "tensor count";
     }},
    {"c06_tensor_count_wraps_at_600_bytes",
     [](auto& file, auto& random) {
       file.tensor_count = huge / 600 + random() % 3;
       file.tensors.clear();
       return "tensor count";
     }},
    {"tensor_count_largest",
     [](auto& file, auto& random) {
       file.tensor_count = huge - random() % 3;
       return "tensor count";
     }},
    {"tensor_count_too_large_by_few",
     [](auto& file, auto& random) {
       file.tensor_count = file.tensors.size() + 1 + random() % 3;
       return "tensor name";
     }},
    {"tensor_count_too_small",
     [](auto& file, auto&) {
       file.tensor_count = file.tensors.size() - 1;
       return "blk.1.ffn_down.weight";
     }},
    {"value_count_wraps",
     [](auto& file, auto& random) {
       file.value_count = huge / 14 - random() % 3;
       return "metadata count";
     }},
    {"value_count_largest",
     [](auto& file, auto& random) {
       file.value_count = huge - random() % 3;
       return "metadata count";
     }},
    {"value_count_too_large_by_one",
     [](auto& file, auto&) {
       file.value_count = file.values.size() + 1;
       return "tensor name";
     }},
    {"value_count_above_any_model",
     [](auto& file, auto& random) {
       const auto count = 8193 + random() % 100;
       for (unsigned i = 0; i < count; ++i)
         file.values.emplace_back(std::to_string(i), raw_number(7U) + "\1");
       return "metadata count";
     }},
    {"tensor_count_above_any_model",
     [](auto& file, auto&) {
       for (unsigned i = 0; i < 32769; ++i) file.tensor("x" + std::to_string(i), {1}, 0, "abcd");
       return "tensor count";
     }},
};

const std::vector<broken_class> values{
    {"key_claims_a_tebibyte",
     [](auto& file, auto& random) {
       append(file, raw_number((std::uint64_t{1} << 40) + random() % 9));
       return "metadata key";
     }},
    {"key_claims_everything",
     [](auto& file, auto& random) {
       append(file, raw_number(huge - random() % 9));
       return "metadata key";
     }},
    {"key_empty",
     [](auto& file, auto& random) {
       file.values.at(random() % file.values.size()).first.clear();
       return "0 bytes";
     }},
    {"key_too_long",
     [](auto& file, auto& random) {
       const auto size = 65536 + random() % 1000;
       file.number(std::string(size, 'k'), 1);
       return std::to_string(size) + " bytes";
     }},
    {"key_twice",
     [](auto& file, auto& random) {
       const auto key = some_key(file, random);
       file.values.emplace_back(key, raw_number(gguf_type::u8) + "x");
       return "'" + key + "' is there twice";
     }},
    {"key_twice_in_bytes_that_are_no_text",
     [](auto& file, auto&) {
       for (int i = 0; i < 2; ++i)
         file.values.emplace_back("\xFF\xC3\n\x1B" + std::string(500, '\xE2'),
                                  raw_number(gguf_type::u8) + "x");
       return "'\\xff\\xc3\\x0a\\x1b\\xe2";
     }},
    {"c05_string_claims_a_gibibyte",
     [](auto& file, auto& random) { return replace(file, random, string_head(1U << 30)); }},
    {"string_claims_everything",
     [](auto& file, auto& random) { return replace(file, random, string_head(huge - random() % 9)); }},
    {"c05_array_claims_2_to_the_40_bytes",
     [](auto& file, auto& random) { return replace(file, random, array_head(0, std::uint64_t{1} << 40)); }},
    {"array_claims_bytes_that_wrap",
     [](auto& file, auto& random) {
       return replace(file, random, array_head(10, (huge >> 3) + 1 + random() % 3));
     }},
    {"c05_array_claims_2_to_the_40_strings",
     [](auto& file, auto& random) { return replace(file, random, array_head(8, std::uint64_t{1} << 40)); }},
    {"array_longer_than_the_file",
     [](auto& file, auto& random) { return replace(file, random, array_head(random() % 8, 2000000)); }},
    {"array_string_claims_everything",
     [](auto& file, auto& random) {
       return replace(file, random, array_head(8, 3) + raw_string("ok") + raw_number(huge - random() % 9));
     }},
    {"array_of_arrays",
     [](auto& file, auto& random) { return replace(file, random, array_head(9, 1) + array_head(4, 0)); }},
    {"array_of_unknown_elements",
     [](auto& file, auto& random) {
       return replace(file, random, array_head(13 + random() % 1000, 1) + "x");
     }},
    {"value_of_unknown_type",
     [](auto& file, auto& random) {
       return replace(file, random, raw_number(13U + random() % 1000) + "12345678");
     }},
    {"value_of_the_largest_type",
     [](auto& file, auto& random) { return replace(file, random, raw_number(0xFFFFFFFFU - random() % 9)); }},
    {"boolean_neither_0_nor_1",
     [](auto& file, auto& random) {
       return replace(file, random, raw_number(gguf_type::boolean) + static_cast<char>(2 + random() % 254));
     }},
};

const std::vector<broken_class> alignments{
    {"c05_alignment_0",
     [](auto& file, auto&) {
       file.number("general.alignment", 0);
       return "general.alignment";
     }},
    {"c05_alignment_no_power_of_two",
     [](auto& file, auto& random) {
       file.number("general.alignment", std::vector<std::uint32_t>{3, 33, 48}[random() % 3]);
       return "general.alignment";
     }},
    {"alignment_tiny",
     [](auto& file, auto& random) {
       file.number("general.alignment", 1U << random() % 3);
       return "general.alignment";
     }},
    {"c05_alignment_huge",
     [](auto& file, auto& random) {
       file.number("general.alignment", 1U << (21 + random() % 11));
       return "general.alignment";
     }},
    {"alignment_of_another_type",
     [](auto& file, auto&) {
       file.raw("general.alignment", raw_number(gguf_type::u64) + raw_number(std::uint64_t{32}));
       return "general.alignment";
     }},
    {"alignment_unlike_the_layout",
     [](auto& file, auto&) {
       file.number("general.alignment", 1U << 16);
       return "tensor '";
     }},
};

class broken_metadata_test : public testing::TestWithParam<broken_class> {};

TEST_P(broken_metadata_test, is_refused) { expect_class_refused(GetParam()); }

const auto name_of = [](const auto& each) { return each.param.name; };
INSTANTIATE_TEST_SUITE_P(preambles, broken_metadata_test, testing::ValuesIn(preambles), name_of);
INSTANTIATE_TEST_SUITE_P(values, broken_metadata_test, testing::ValuesIn(values), name_of);
INSTANTIATE_TEST_SUITE_P(alignments, broken_metadata_test, testing::ValuesIn(alignments), name_of);

}  // namespace
}  // namespace neap::test
