#pragma once
// Small models with random weights, written as GGUF files: families and variants without a real model here.

#include "engine/model/model_file.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace neap::test {

struct tiny_options {
  std::string architecture = "llama";
  std::uint32_t layers = 2;
  std::uint32_t hidden = 64;
  std::uint32_t heads = 4;
  std::uint32_t kv_heads = 2;
  std::uint32_t head_size = 16;
  std::uint32_t feed_forward = 96;
  std::uint32_t vocabulary = 50;
  bool tied = true;
  bool rope_factors = false;
  bool quantized = false;                 // matrices as Q8_0, else F32
  std::int32_t broken_token = -1;         // its embedding is NaN
  std::map<std::string, double> numbers;  // more metadata, without the architecture's prefix
  std::string rope_scaling;               // empty = none
};

// Writes the file, opens it, and removes it. Fails the test and returns null if it does not open.
std::shared_ptr<const model::model_file> make_tiny_model(const tiny_options& options);

}  // namespace neap::test
