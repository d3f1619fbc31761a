// What the loader refuses, by key, and what it fills in.

#include "engine/text/tokenizer.hpp"
#include "engine/text/utf8.hpp"
#include "tests/engine/text/gguf_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace neap::text {
namespace {

using test::gguf_builder;
using testing::HasSubstr;

gguf_builder sentencepiece_file() {
  gguf_builder file;
  file.text("tokenizer.ggml.model", "llama")
      .texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "b", "ab"});
  file.floats("tokenizer.ggml.scores", {0, 0, 0, -1, -2, -3})
      .ints("tokenizer.ggml.token_type", {2, 3, 3, 1, 1, 1});
  file.number("tokenizer.ggml.bos_token_id", 1).number("tokenizer.ggml.eos_token_id", 2);
  return file;
}

gguf_builder bpe_file() {
  gguf_builder file;
  file.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  file.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<|end|>"}).texts("tokenizer.ggml.merges", {"a b"});
  file.ints("tokenizer.ggml.token_type", {1, 1, 1, 3}).number("tokenizer.ggml.eos_token_id", 3);
  return file;
}

std::unique_ptr<tokenizer> load(const gguf_builder& builder) {
  const auto file = builder.open();
  if (!file) throw std::runtime_error(file.error().message);
  auto loaded = load_tokenizer(*file);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

void expect_refused(const gguf_builder& builder, error_code code, const std::string& named) {
  const auto file = builder.open();
  ASSERT_TRUE(file) << file.error().message;
  const auto loaded = load_tokenizer(*file);
  ASSERT_FALSE(loaded) << named;
  EXPECT_EQ(loaded.error().code, code);
  EXPECT_THAT(loaded.error().message, HasSubstr(named));
  EXPECT_TRUE(is_valid_utf8(loaded.error().message));
}

void expect_broken(const gguf_builder& builder, const std::string& key) {
  expect_refused(builder, error_code::invalid_model_file, key);
}

TEST(TokenizerLoading, GoodFilesLoad) {
  EXPECT_EQ(load(bpe_file())->encode("ab", false, false), std::vector<token_id>{2});
  EXPECT_EQ(
      load(sentencepiece_file().flag("tokenizer.ggml.add_space_prefix", false))->encode("ab", false, true),
      (std::vector<token_id>{1, 5}));
}

TEST(TokenizerLoading, C04RefusesNarrowerElements) {
  for (const std::size_t count : {5U, 6U, 7U})
    for (const std::string key : {"tokenizer.ggml.scores", "tokenizer.ggml.token_type"})
      expect_broken(sentencepiece_file().bytes(key, std::vector<std::uint8_t>(count, 1)), key);
}

TEST(TokenizerLoading, RefusesWrongLengths) {
  for (const std::size_t count : {0U, 5U, 7U}) {
    expect_broken(sentencepiece_file().floats("tokenizer.ggml.scores", std::vector<float>(count)),
                  "tokenizer.ggml.scores");
    expect_broken(sentencepiece_file().ints("tokenizer.ggml.token_type", std::vector<std::int32_t>(count, 1)),
                  "tokenizer.ggml.token_type");
  }
}

TEST(TokenizerLoading, RefusesWrongValues) {
  expect_broken(sentencepiece_file().ints("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 7}),
                "tokenizer.ggml.token_type");
  expect_broken(sentencepiece_file().ints("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, -1}),
                "tokenizer.ggml.token_type");
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    expect_broken(sentencepiece_file().floats("tokenizer.ggml.scores", {0, 0, 0, bad, 0, 0}),
                  "tokenizer.ggml.scores");
  for (const std::string name : {"bos", "eos", "unknown", "eot", "eom"}) {
    const auto key = "tokenizer.ggml." + name + "_token_id";
    expect_broken(sentencepiece_file().number(key, 6), key);
    expect_broken(sentencepiece_file().number(key, 0xFFFFFFFF), key);
    expect_broken(sentencepiece_file().text(key, "1"), key);
  }
  expect_broken(sentencepiece_file().number("tokenizer.ggml.add_bos_token", 1),
                "tokenizer.ggml.add_bos_token");
}

TEST(TokenizerLoading, RefusesMissingArrays) {
  for (const std::string key : {"tokenizer.ggml.model", "tokenizer.ggml.tokens", "tokenizer.ggml.scores"})
    expect_broken(sentencepiece_file().remove(key), key);
  expect_broken(bpe_file().remove("tokenizer.ggml.merges"), "tokenizer.ggml.merges");
  expect_broken(bpe_file().texts("tokenizer.ggml.tokens", {}), "tokenizer.ggml.tokens");
  expect_broken(bpe_file().ints("tokenizer.ggml.tokens", {1, 2}), "tokenizer.ggml.tokens");
}

TEST(TokenizerLoading, RefusesMergesThatDoNotParse) {
  for (const std::string merge : {"", " ", "ab", " ab", "a c", "c a", "b a", "a ", "a b b"})
    expect_broken(bpe_file().texts("tokenizer.ggml.merges", {"a b", merge}), "tokenizer.ggml.merges");
  expect_broken(bpe_file().ints("tokenizer.ggml.merges", {1}), "tokenizer.ggml.merges");
}

TEST(TokenizerLoading, RefusesUnknownKindsByName) {
  const auto refused = error_code::unsupported_model;
  expect_refused(bpe_file().text("tokenizer.ggml.model", "bert"), refused, "'bert'");
  expect_refused(bpe_file().text("tokenizer.ggml.pre", "no-such"), refused, "'no-such'");
  expect_refused(bpe_file().text("tokenizer.ggml.pre", "x\xFF\n"), refused, "\\x0a'");
  expect_refused(bpe_file().text("tokenizer.ggml.model", std::string(100'000, '\xC3')), refused, "...'");
}

TEST(TokenizerLoading, DefaultsDependOnTheKind) {
  EXPECT_TRUE(load(sentencepiece_file())->special().add_bos);
  EXPECT_FALSE(load(sentencepiece_file().flag("tokenizer.ggml.add_bos_token", false))->special().add_bos);
  EXPECT_FALSE(load(sentencepiece_file().remove("tokenizer.ggml.bos_token_id"))->special().add_bos);
  EXPECT_FALSE(load(bpe_file().number("tokenizer.ggml.bos_token_id", 0))->special().add_bos);
  const auto llama3 =
      bpe_file().number("tokenizer.ggml.bos_token_id", 0).text("tokenizer.ggml.pre", "llama-bpe");
  EXPECT_TRUE(load(llama3)->special().add_bos);
  EXPECT_NO_THROW(load(bpe_file().remove("tokenizer.ggml.pre").remove("tokenizer.ggml.token_type")));
}

TEST(TokenizerLoading, AddsTheEndTokenWhereTheFileAsks) {
  const auto tokens = load(bpe_file().flag("tokenizer.ggml.add_eos_token", true));
  EXPECT_EQ(tokens->encode("ab", false, true), (std::vector<token_id>{2, 3}));
  EXPECT_EQ(tokens->encode("ab", false, false), std::vector<token_id>{2});
}

}  // namespace
}  // namespace neap::text
