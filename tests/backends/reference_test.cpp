// Both real models against logits and losses of an independent 32-bit implementation.

#include "tests/support/backend_harness.hpp"
#include "tests/support/reference_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>

namespace neap::test {
namespace {

struct reference_case {
  std::string model;
  backend::precision precision;
  float logit_tolerance;
  float margin;  // greedy steps of a smaller margin are not compared

  friend void PrintTo(const reference_case& x, std::ostream* out) {
    *out << x.model << (x.precision == backend::precision::float32 ? "_float32" : "_quantized");
  }
};

// One loaded model at a time, shared by the tests of a case.
backend_harness& harness_for(const reference_case& which) {
  static std::string loaded;
  static std::unique_ptr<backend_harness> harness;
  const auto name = testing::PrintToString(which);
  if (loaded != name) {
    harness.reset();
    harness_options options;
    options.precision = which.precision;
    options.kv_type =
        which.precision == backend::precision::float32 ? kernels::kv_type::f32 : kernels::kv_type::f16;
    harness = std::make_unique<backend_harness>(model_path(which.model), options);
    loaded = name;
  }
  return *harness;
}

class reference_test : public testing::TestWithParam<reference_case> {
 protected:
  backend_harness& harness() { return harness_for(GetParam()); }
  std::size_t vocabulary() { return harness().config().vocabulary; }

  void check_top(const reference_prompt& prompt, std::span<const float> logits) {
    for (const auto& [token, expected] : prompt.top) {
      const float error = std::abs(logits[static_cast<std::size_t>(token)] - expected);
      worst_ = std::max(worst_, error);
      EXPECT_LT(error, GetParam().logit_tolerance) << "token " << token;
    }
  }

  void check_greedy(const reference_prompt& prompt, std::size_t step, std::span<const float> logits) {
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    if (prompt.margin[step] > GetParam().margin) {
      EXPECT_EQ(best, prompt.greedy[step]) << "step " << step << ", margin " << prompt.margin[step];
      ++compared_;
    }
  }

  // Teacher-forced: the reference's tokens are fed whatever this engine would have chosen.
  void check_prompt(const reference_prompt& prompt, std::size_t chunk) {
    const auto sequence = harness().open();
    auto logits = harness().last_logits(sequence, prompt.prompt, chunk);
    check_top(prompt, logits);
    for (std::size_t step = 0; step < prompt.greedy.size(); ++step) {
      check_greedy(prompt, step, logits);
      logits = harness().last_logits(sequence, {&prompt.greedy[step], 1}, 1);
    }
    harness().close(sequence);
  }

  void check_loss(const reference_loss& loss, std::size_t chunk) {
    const auto sequence = harness().open();
    const std::span<const token_id> ids(loss.ids);
    double sum = 0;
    for (std::size_t begin = 0; begin + 1 < ids.size(); begin += chunk) {
      const auto count = std::min(chunk, ids.size() - 1 - begin);
      const auto logits = harness().all_logits(sequence, ids.subspan(begin, count), count);
      for (std::size_t i = 0; i < count; ++i)
        sum += token_loss({&logits[i * vocabulary()], vocabulary()}, ids[begin + i + 1]);
    }
    harness().close(sequence);
    const double mean = sum / static_cast<double>(ids.size() - 1);
    RecordProperty("mean_loss", std::to_string(mean));
    EXPECT_NEAR(mean, loss.mean, 0.005 * loss.mean);
  }

  static double token_loss(std::span<const float> logits, token_id target) {
    const float best = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float x : logits) sum += std::exp(x - best);
    return std::log(sum) + best - logits[static_cast<std::size_t>(target)];
  }

  float worst_ = 0;
  int compared_ = 0;
};

TEST_P(reference_test, short_prompts) {
  const auto reference = load_reference(GetParam().model);
  for (std::size_t i = 0; i < reference.prompts.size(); ++i) {
    SCOPED_TRACE("prompt " + std::to_string(i));
    check_prompt(reference.prompts[i], 512);
  }
  EXPECT_GT(compared_, 100);
  RecordProperty("worst_logit_error", std::to_string(worst_));
}

TEST_P(reference_test, loss) { check_loss(load_reference(GetParam().model).loss, 98); }

TEST_P(reference_test, long_prompts_in_chunks_of_64) {
  for (const auto& prompt : load_reference(GetParam().model).long_prompts) check_prompt(prompt, 64);
  RecordProperty("worst_logit_error", std::to_string(worst_));
}

TEST_P(reference_test, long_prompts_in_chunks_of_512) {
  for (const auto& prompt : load_reference(GetParam().model).long_prompts) check_prompt(prompt, 512);
  RecordProperty("worst_logit_error", std::to_string(worst_));
}

TEST_P(reference_test, long_loss) { check_loss(load_reference(GetParam().model).long_loss, 256); }

INSTANTIATE_TEST_SUITE_P(models, reference_test,
                         testing::Values(reference_case{"smollm2", backend::precision::quantized, 0.3F, 0.3F},
                                         reference_case{"gemma3", backend::precision::quantized, 0.3F, 0.3F},
                                         reference_case{"smollm2", backend::precision::float32, 0.01F, 0.02F},
                                         reference_case{"gemma3", backend::precision::float32, 0.01F, 0.02F}),
                         [](const auto& each) { return testing::PrintToString(each.param); });

}  // namespace
}  // namespace neap::test
