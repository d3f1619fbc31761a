// Bounds on time, wide enough for a busy machine; sanitizer builds get more.

#include "engine/model/gguf_file.hpp"
#include "tests/engine/text/model_tokenizers.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace neap::text {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double slower = 20;
#else
constexpr double slower = 1;
#endif

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The fastest of three: what the machine can do, not what its neighbours did meanwhile.
template <class Work>
double best_seconds(const Work& work) {
  double best = seconds(work);
  for (int i = 0; i < 2; ++i) best = std::min(best, seconds(work));
  return best;
}

double load_seconds(const std::string& model) {
  const auto file = model::gguf_file::open(test::model_path(model));
  if (!file) return 1e9;
  return best_seconds([&] { EXPECT_TRUE(load_tokenizer(*file)); });
}

TEST(TokenizerSpeed, LoadsQuickly) {
  const double smollm2 = load_seconds("smollm2"), gemma3 = load_seconds("gemma3");
  RecordProperty("smollm2_ms", std::to_string(smollm2 * 1e3));
  RecordProperty("gemma3_ms", std::to_string(gemma3 * 1e3));
  std::printf("load: smollm2 %.1f ms, gemma3 %.1f ms\n", smollm2 * 1e3, gemma3 * 1e3);
  EXPECT_LT(smollm2, 0.1 * slower);
  EXPECT_LT(gemma3, 0.4 * slower);
}

class LongRuns : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

// One run that no pattern splits; also blanks and line ends, which the patterns look ahead in.
TEST_P(LongRuns, TakeUnderASecondAndRoundTrip) {
  const auto& [model, unit] = GetParam();
  const auto& tokens = test::model_tokenizer(model);
  for (const std::size_t count : {26'000U, 131'072U}) {
    std::string text;
    while (text.size() < count) text += unit;
    std::vector<token_id> ids;
    const double time = best_seconds([&] { ids = tokens.encode(text, false, false); });
    std::printf("%s %zu bytes: %zu tokens, %.1f ms\n", model, text.size(), ids.size(), time * 1e3);
    EXPECT_LT(time, 0.5 * slower);
    EXPECT_EQ(tokens.decode(ids, false), text);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LongRuns,
                         testing::Combine(testing::Values("smollm2", "gemma3"),
                                          testing::Values("Z", " ", "\n", " \n", "<|", "<unused", "\u00e9",
                                                          "7", "'", "the cat ")));

// Twice the text may cost little more than twice the time.
TEST(TokenizerSpeed, GrowsAboutLinearly) {
  for (const std::string model : {"smollm2", "gemma3"}) {
    const auto& tokens = test::model_tokenizer(model);
    const std::string one(400'000, 'Z'), four(1'600'000, 'Z');
    const double small = best_seconds([&] { tokens.encode(one, false, false); });
    const double large = best_seconds([&] { tokens.encode(four, false, false); });
    EXPECT_LT(large, 10 * small) << model;  // 4 x for linear, 16 x for quadratic
  }
}

}  // namespace
}  // namespace neap::text
