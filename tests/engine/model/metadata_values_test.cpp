// Typed access to metadata: element types are kept, integers convert where they fit.

#include "tests/engine/model/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace neap::test {
namespace {

using model::gguf_file;
using model::gguf_type;

constexpr auto key = "some.key";

class metadata_values_test : public testing::Test {
 protected:
  // A file with one value; removed at once, the mapping stays.
  gguf_file with(std::string value) {
    const temporary_file file{gguf_writer{}.raw(key, std::move(value)).bytes()};
    auto opened = gguf_file::open(file.path());
    if (!opened) ADD_FAILURE() << opened.error().message;
    return std::move(*opened);
  }

  template <class T>
  gguf_file with(gguf_type type, T value) {
    return with(raw_number(type) + raw_number(value));
  }

  template <class T>
  void expect_wrong_type(const result<T>& value) {
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code, error_code::invalid_model_file);
    EXPECT_THAT(value.error().message, testing::HasSubstr("'some.key' is not"));
    expect_plain_line(value.error());
  }
};

TEST_F(metadata_values_test, integers_of_every_width) {
  EXPECT_EQ(**with(gguf_type::u8, std::uint8_t{255}).get_uint(key), 255U);
  EXPECT_EQ(**with(gguf_type::u16, std::uint16_t{65535}).get_uint(key), 65535U);
  EXPECT_EQ(**with(gguf_type::u32, 0xFFFFFFFFU).get_uint(key), 0xFFFFFFFFU);
  EXPECT_EQ(**with(gguf_type::u64, ~std::uint64_t{0}).get_uint(key), ~std::uint64_t{0});
  EXPECT_EQ(**with(gguf_type::i8, std::int8_t{127}).get_uint(key), 127U);
  EXPECT_EQ(**with(gguf_type::i16, std::int16_t{300}).get_uint(key), 300U);
  EXPECT_EQ(**with(gguf_type::i32, 70000).get_uint(key), 70000U);
  EXPECT_EQ(**with(gguf_type::i64, std::int64_t{1} << 40).get_uint(key), std::uint64_t{1} << 40);
}

TEST_F(metadata_values_test, negative_integers_are_no_sizes) {
  expect_wrong_type(with(gguf_type::i8, std::int8_t{-1}).get_uint(key));
  expect_wrong_type(with(gguf_type::i16, std::int16_t{-1}).get_uint(key));
  expect_wrong_type(with(gguf_type::i32, -1).get_uint(key));
  expect_wrong_type(with(gguf_type::i64, std::int64_t{-1}).get_uint(key));
}

TEST_F(metadata_values_test, floats_and_whole_numbers_as_floats) {
  EXPECT_EQ(**with(gguf_type::f32, 0.25F).get_float(key), 0.25);
  EXPECT_EQ(**with(gguf_type::f64, 0.1).get_float(key), 0.1);
  EXPECT_EQ(**with(gguf_type::u32, 10000U).get_float(key), 10000.0);
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    expect_wrong_type(with(gguf_type::f32, wrong).get_float(key));
}

TEST_F(metadata_values_test, another_type_is_an_error_that_names_the_key) {
  const auto number = with(gguf_type::u32, 1U);
  expect_wrong_type(number.get_bool(key));
  expect_wrong_type(number.get_string(key));
  expect_wrong_type(number.get_strings(key));
  expect_wrong_type(number.get_floats(key));
  expect_wrong_type(number.get_ints(key));
  const auto text = with(raw_number(gguf_type::string) + raw_string("1"));
  expect_wrong_type(text.get_uint(key));
  expect_wrong_type(text.get_float(key));
  expect_wrong_type(text.get_bool(key));
  expect_wrong_type(with(gguf_type::boolean, std::uint8_t{1}).get_uint(key));
  expect_wrong_type(with(gguf_type::f32, 1.0F).get_uint(key));
}

TEST_F(metadata_values_test, arrays_keep_their_element_type) {
  const auto bytes = with(raw_array<std::uint8_t>(gguf_type::u8, {1, 2, 3, 4, 5, 6, 7, 8}));
  expect_wrong_type(bytes.get_floats(key));
  expect_wrong_type(bytes.get_ints(key));
  expect_wrong_type(bytes.get_strings(key));
  expect_wrong_type(bytes.get_uint(key));
  const auto floats = with(raw_array<float>(gguf_type::f32, {1, -2.5F}));
  EXPECT_EQ(**floats.get_floats(key), (std::vector<float>{1, -2.5F}));
  expect_wrong_type(floats.get_ints(key));
  const auto ints = with(raw_array<std::int32_t>(gguf_type::i32, {1, -2, 3}));
  EXPECT_EQ(**ints.get_ints(key), (std::vector<std::int32_t>{1, -2, 3}));
  expect_wrong_type(ints.get_floats(key));
  expect_wrong_type(with(raw_array<std::uint32_t>(gguf_type::u32, {1})).get_ints(key));
}

TEST_F(metadata_values_test, strings_as_they_are) {
  const auto open = [](gguf_writer& writer) {
    const temporary_file file{writer.bytes()};
    return gguf_file::open(file.path());
  };
  gguf_writer writer;
  const std::vector<std::string> texts{"", "a", std::string{"nul\0inside", 10}, "\xFF",
                                       std::string(5000, 'x')};
  const auto file = open(writer.texts(key, texts).text("other", "caf\xC3\xA9").flag("yes", true));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(**file->get_strings(key), testing::ElementsAreArray(texts));
  EXPECT_EQ(**file->get_string("other"), "caf\xC3\xA9");
  EXPECT_TRUE(**file->get_bool("yes"));
}

TEST_F(metadata_values_test, empty_and_absent) {
  const auto none = with(raw_array<float>(gguf_type::f32, {}));
  EXPECT_TRUE((*none.get_floats(key))->empty());
  EXPECT_TRUE(none.has(key));
  EXPECT_FALSE(none.has("absent"));
  EXPECT_FALSE(*none.get_uint("absent"));
  EXPECT_FALSE(*none.get_float("absent"));
  EXPECT_FALSE(*none.get_bool("absent"));
  EXPECT_FALSE(*none.get_string("absent"));
  EXPECT_FALSE(*none.get_strings("absent"));
  EXPECT_FALSE(*none.get_floats("absent"));
  EXPECT_FALSE(*none.get_ints("absent"));
  EXPECT_EQ(none.find_tensor("absent"), nullptr);
}

}  // namespace
}  // namespace neap::test
