// A token's logits are the same bits whatever shares its batch, however its prompt is cut, wherever its
// blocks lie, and after a recompute.

#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace neap::test {
namespace {

struct equivalence_case {
  std::string model;
  backend::precision precision;
};

std::shared_ptr<const model::model_file> shared_file(const std::string& name) {
  static std::map<std::string, std::shared_ptr<const model::model_file>> files;
  auto& file = files[name];
  if (!file) {
    auto opened = model::open_model(model_path(name));
    if (!opened) return nullptr;
    file = std::make_shared<const model::model_file>(std::move(*opened));
  }
  return file;
}

class batch_equivalence : public testing::TestWithParam<equivalence_case> {
 protected:
  void SetUp() override {
    const auto reference = load_reference(GetParam().model);
    const auto& ids = reference.long_prompts[0].prompt;
    tokens_.assign(ids.begin(), ids.begin() + 70);
    others_.assign(ids.begin() + 100, ids.begin() + 300);
    expected_ = alone();
  }

  backend_harness make(std::uint32_t threads = 2, std::uint32_t shuffle_seed = 0) {
    harness_options options;
    options.threads = threads;
    options.precision = GetParam().precision;
    options.shuffle_seed = shuffle_seed;
    return {shared_file(GetParam().model), options};
  }

  std::vector<float> alone() {
    auto harness = make();
    return harness.last_logits(harness.open(), tokens_, 512);
  }

  std::span<const token_id> tail(std::size_t count) const {
    return std::span(tokens_).subspan(tokens_.size() - count);
  }
  std::span<const token_id> head(std::size_t count) const { return std::span(tokens_).first(count); }

  std::vector<token_id> tokens_;
  std::vector<token_id> others_;
  std::vector<float> expected_;
};

TEST_P(batch_equivalence, chunks_threads_and_blocks) {
  EXPECT_GT(*std::max_element(expected_.begin(), expected_.end()), expected_[0]);
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    auto harness = make(threads, threads);
    const std::vector<std::size_t> chunks =
        threads == 2 ? std::vector<std::size_t>{1, 7, 16, 33, 512} : std::vector<std::size_t>{33};
    for (const std::size_t chunk : chunks) {
      const auto sequence = harness.open();
      EXPECT_EQ(harness.last_logits(sequence, tokens_, chunk), expected_) << "chunks of " << chunk;
      harness.close(sequence);
    }
  }
}

TEST_P(batch_equivalence, mixed_with_prefills_and_decodes) {
  auto harness = make(2, 9);
  const auto subject = harness.open();
  const auto decoder = harness.open();
  harness.add(subject, head(tokens_.size() - 2), output_none);
  harness.add(decoder, std::span(others_).first(50), output_none);
  harness.run();
  const auto prefill = harness.open();
  harness.add(prefill, std::span(others_).first(90), output_none);
  harness.add(subject, tail(2).first(1), output_logits);
  harness.add(decoder, std::span(others_).subspan(50, 1), output_logits);
  harness.run();
  std::vector<sequence_id> crowd;
  for (std::size_t i = 0; i < 40; ++i) crowd.push_back(harness.open());
  for (std::size_t i = 0; i < 20; ++i)
    harness.add(crowd[i], std::span(others_).subspan(i, 1 + i % 5), output_logits);
  harness.add(subject, tail(1), output_logits);
  for (std::size_t i = 20; i < 40; ++i)
    harness.add(crowd[i], std::span(others_).subspan(i, 1 + i % 3), output_logits);
  const auto result = harness.run();
  EXPECT_EQ(result.rows[20].logits, expected_);
}

TEST_P(batch_equivalence, recompute_after_preemption) {
  auto harness = make(2, 4);
  const auto subject = harness.open();
  harness.last_logits(subject, head(40), 16);
  harness.drop_blocks(subject);
  const auto other = harness.open();
  harness.last_logits(other, others_, 512);  // writes over the freed blocks
  EXPECT_EQ(harness.last_logits(subject, tokens_, 25), expected_);
}

TEST_P(batch_equivalence, forks_share_the_past_and_write_apart) {
  auto harness = make();
  const auto parent = harness.open();
  harness.last_logits(parent, head(tokens_.size() - 1), 512);  // 69 tokens: the last block is not full
  const auto child = harness.fork(parent, 1);
  harness.add(child, std::span(others_).first(1), output_logits);
  const auto strayed = harness.run().rows[0].logits;
  EXPECT_NE(strayed, expected_);
  const auto twin = harness.fork(parent, 2);
  harness.add(parent, tail(1), output_logits);
  harness.add(twin, tail(1), output_logits);
  const auto result = harness.run();
  EXPECT_EQ(result.rows[0].logits, expected_);
  EXPECT_EQ(result.rows[1].logits, expected_);
}

TEST_P(batch_equivalence, all_logits_hold_the_last_ones) {
  auto harness = make();
  const auto all = harness.all_logits(harness.open(), tokens_, 512);
  const std::size_t vocabulary = harness.config().vocabulary;
  ASSERT_EQ(all.size(), vocabulary * tokens_.size());
  EXPECT_TRUE(std::equal(expected_.begin(), expected_.end(), all.end() - static_cast<long>(vocabulary)));
}

INSTANTIATE_TEST_SUITE_P(models, batch_equivalence,
                         testing::Values(equivalence_case{"smollm2", backend::precision::quantized},
                                         equivalence_case{"smollm2", backend::precision::float32},
                                         equivalence_case{"gemma3", backend::precision::quantized}),
                         [](const auto& each) {
                           return each.param.model + (each.param.precision == backend::precision::float32
                                                          ? "_float32"
                                                          : "_quantized");
                         });

}  // namespace
}  // namespace neap::test
