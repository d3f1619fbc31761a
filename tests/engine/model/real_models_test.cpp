// The two real models: configuration, tensor types, and giving pages back.

#include "engine/model/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace neap::test {
namespace {

using kernels::tensor_type;
using model::model_family;

const std::string folder = NEAP_MODELS_DIR;

model::model_file open(const std::string& name) {
  auto opened = model::open_model(folder + "/" + name);
  if (!opened) throw std::runtime_error(opened.error().message + " (run scripts/setup)");
  return std::move(*opened);
}

model::model_file smollm2() { return open("SmolLM2-135M-Instruct.Q4_1.gguf"); }
model::model_file gemma3() { return open("gemma-3-270m-q4_k_m.gguf"); }

std::map<std::string_view, int> count_types(const model::model_file& file) {
  std::map<std::string_view, int> counts;
  for (const auto& tensor : file.file.tensors()) ++counts[kernels::traits(tensor.type).name];
  return counts;
}

TEST(real_models, smollm2_configuration) {
  const auto file = smollm2();
  const auto& config = file.config;
  EXPECT_EQ(config.family, model_family::llama);
  EXPECT_EQ(config.layers, 30U);
  EXPECT_EQ(config.hidden, 576U);
  EXPECT_EQ(config.feed_forward, 1536U);
  EXPECT_EQ(config.heads, 9U);
  EXPECT_EQ(config.kv_heads, 3U);
  EXPECT_EQ(config.head_size, 64U);
  EXPECT_EQ(config.vocabulary, 49152U);
  EXPECT_EQ(config.context_length, 8192U);
  EXPECT_FLOAT_EQ(config.norm_epsilon, 1e-5F);
  EXPECT_FLOAT_EQ(config.attention_scale, 0.125F);
  EXPECT_FLOAT_EQ(config.rope.base, 100000);
  EXPECT_EQ(config.rope.rotary, 64U);
  EXPECT_TRUE(config.rope.interleaved);
  EXPECT_FALSE(config.gelu);
  EXPECT_EQ(config.sliding_window, 0U);
  EXPECT_EQ(file.tensors.output, file.tensors.embedding);
  EXPECT_EQ(file.file.file_bytes(), 98362432U);
}

TEST(real_models, gemma3_configuration) {
  const auto file = gemma3();
  const auto& config = file.config;
  EXPECT_EQ(config.family, model_family::gemma3);
  EXPECT_EQ(config.layers, 18U);
  EXPECT_EQ(config.hidden, 640U);
  EXPECT_EQ(config.feed_forward, 2048U);
  EXPECT_EQ(config.heads, 4U);
  EXPECT_EQ(config.kv_heads, 1U);
  EXPECT_EQ(config.head_size, 256U);
  EXPECT_EQ(config.vocabulary, 262144U);
  EXPECT_EQ(config.context_length, 32768U);
  EXPECT_FLOAT_EQ(config.norm_epsilon, 1e-6F);
  EXPECT_FLOAT_EQ(config.attention_scale, 1.0F / 16);
  EXPECT_FLOAT_EQ(config.embedding_scale, std::sqrt(640.0F));
  EXPECT_FLOAT_EQ(config.rope.base, 1e6F);
  EXPECT_FLOAT_EQ(config.local_rope.base, 10000);
  EXPECT_FALSE(config.rope.interleaved);
  EXPECT_TRUE(config.gelu);
  EXPECT_EQ(config.sliding_window, 512U);
  EXPECT_EQ(config.full_attention_every, 6U);
  EXPECT_EQ(file.tensors.output, file.tensors.embedding);
  EXPECT_EQ(file.file.file_bytes(), 253113024U);
}

TEST(real_models, types_of_their_tensors) {
  using types = std::map<std::string_view, int>;
  EXPECT_EQ(count_types(smollm2()), (types{{"F32", 61}, {"Q4_1", 210}, {"Q8_0", 1}}));
  EXPECT_EQ(count_types(gemma3()),
            (types{{"F32", 109}, {"Q4_K", 27}, {"Q5_0", 81}, {"Q6_K", 9}, {"Q8_0", 10}}));
  EXPECT_EQ(smollm2().tensors.embedding->type, tensor_type::q8_0);
  EXPECT_EQ(gemma3().tensors.layers[0].query->type, tensor_type::q5_0);
}

long resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  long total = 0, resident = 0;
  statistics >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::uint64_t checksum(const model::gguf_tensor& tensor) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 8 <= tensor.bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, tensor.data + i, sizeof word);
    sum = sum * 31 + word;
  }
  return sum;
}

TEST(real_models, released_pages_leave_memory_and_come_back) {
  const auto file = smollm2();
  const auto& tensor = *file.tensors.embedding;
  const auto before = checksum(tensor);
  const auto full = resident_bytes();
  file.file.release_pages(tensor);
  const auto released = resident_bytes();
  EXPECT_GT(full - released, static_cast<long>(tensor.bytes * 9 / 10));
  EXPECT_EQ(checksum(tensor), before);
  for (const auto& each : file.file.tensors()) file.file.release_pages(each);
  EXPECT_EQ(checksum(tensor), before);
}

}  // namespace
}  // namespace neap::test
