#include "engine/text/utf8.hpp"

#include "tests/engine/text/random_text.hpp"

#include <gtest/gtest.h>

namespace neap::text {
namespace {

// By arithmetic on code points, not by byte tables: a second opinion.
bool naive_is_valid(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const std::size_t length = byte(i) < 0x80   ? 1
                               : byte(i) < 0xC0 ? 0
                               : byte(i) < 0xE0 ? 2
                               : byte(i) < 0xF0 ? 3
                                                : 4;
    if (length == 0 || byte(i) >= 0xF8 || i + length > text.size()) return false;
    char32_t point = length == 1 ? byte(i) : byte(i) & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) return false;
      point = (point << 6) | (byte(i + k) & 63U);
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
    if (test::to_utf8(point).size() != length) return false;
    i += length;
  }
  return true;
}

TEST(Utf8, EveryCodePointIsValidAndNoSurrogateIs) {
  for (char32_t point = 0; point < 0x110000; ++point) {
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    ASSERT_EQ(is_valid_utf8(test::to_utf8(point)), !surrogate) << static_cast<std::uint32_t>(point);
  }
}

TEST(Utf8, RefusesBrokenForms) {
  for (const std::string_view text :
       {"\xC4\xE3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xFF",
        "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "abcdefgh\xC3", "\xC3 abcdefgh"})
    EXPECT_FALSE(is_valid_utf8(text)) << quote(text, 40);
}

TEST(Utf8, AgreesWithArithmeticOnRandomBytes) {
  std::mt19937 random{1};
  for (int round = 0; round < 20'000; ++round) {
    const auto bytes = test::random_bytes(random, 1 + random() % 6);
    ASSERT_EQ(is_valid_utf8(bytes), naive_is_valid(bytes)) << quote(bytes, 40);
    ASSERT_TRUE(naive_is_valid(replace_invalid_utf8(bytes)));
  }
}

TEST(Utf8, RepairLeavesValidTextAlone) {
  std::mt19937 random{2};
  for (int round = 0; round < 200; ++round) {
    const auto text = test::random_text(random, 50);
    ASSERT_TRUE(is_valid_utf8(text));
    ASSERT_EQ(replace_invalid_utf8(text), text);
  }
}

// Examples of Unicode 15, tables 3-8 to 3-11.
TEST(Utf8, ReplacesMaximalSubparts) {
  const std::string r{replacement_character};
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
}

TEST(Utf8, TruncatesAtACharacterBorder) {
  const std::string text = "a\u00e9\u65e5\U0001F600z";  // borders at 1, 3, 6, 10, 11
  const std::vector<std::size_t> expected{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < expected.size(); ++bytes)
    EXPECT_EQ(truncate_utf8(text, bytes).size(), expected[bytes]) << bytes;
}

TEST(Utf8, ClipsAnyBytesToValidText) {
  std::mt19937 random{3};
  for (int round = 0; round < 5'000; ++round) {
    const auto bytes = test::random_bytes(random, random() % 20);
    const std::size_t limit = random() % 24;
    const auto clipped = clip_utf8(bytes, limit);
    ASSERT_LE(clipped.size(), limit);
    ASSERT_TRUE(is_valid_utf8(clipped));
    ASSERT_TRUE(replace_invalid_utf8(bytes).starts_with(clipped)) << quote(bytes, 40);
  }
}

TEST(Utf8, QuotesForOneLogLine) {
  EXPECT_EQ(quote("plain \u00e9", 40), "'plain \u00e9'");
  EXPECT_EQ(quote("a\r\n\x1b[0m\x7f", 40), "'a\\x0d\\x0a\\x1b[0m\\x7f'");
  EXPECT_EQ(quote("\u2028\u0085", 40), "'\\xe2\\x80\\xa8\\xc2\\x85'");
  EXPECT_EQ(quote("caf\u00e9s", 4), "'caf...'");
  EXPECT_EQ(quote("\xFF", 40), "'" + std::string{replacement_character} + "'");
  EXPECT_EQ(quote("", 40), "''");
}

TEST(Utf8, QuoteIsAlwaysValidAndBounded) {
  std::mt19937 random{4};
  for (int round = 0; round < 5'000; ++round) {
    const auto quoted = quote(test::random_bytes(random, random() % 40), 16);
    ASSERT_TRUE(is_valid_utf8(quoted));
    ASSERT_LE(quoted.size(), 4U * 16U + 5U);
    ASSERT_EQ(quoted.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace neap::text
