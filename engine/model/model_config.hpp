#pragma once
// Hyper-parameters of a decoder, read from GGUF metadata.

#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::model {

enum class model_family : std::uint8_t { llama, qwen2, gemma3 };

// As general.architecture spells it.
constexpr std::string_view family_name(model_family family) noexcept {
  switch (family) {
    case model_family::qwen2:
      return "qwen2";
    case model_family::gemma3:
      return "gemma3";
    case model_family::llama:
      break;
  }
  return "llama";
}

enum class rope_scaling : std::uint8_t { none, linear, llama3, yarn };

struct rope_config {
  float base = 10000.0F;
  rope_scaling scaling = rope_scaling::none;
  float factor = 1.0F;
  std::uint32_t original_context = 0;
  std::uint32_t rotary = 0;  // rotated dimensions of a head
  bool interleaved = true;   // llama's GGUF layout; qwen2 and gemma3 rotate half-split pairs
};

struct model_config {
  model_family family = model_family::llama;
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t feed_forward = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t context_length = 0;
  float norm_epsilon = 1e-5F;
  float attention_scale = 0;               // 1 / sqrt(head_size) unless the family says otherwise
  float embedding_scale = 1;               // sqrt(hidden) for gemma3
  bool gelu = false;                       // gated GELU (tanh form) instead of SiLU
  rope_config rope;                        // of full-attention layers
  rope_config local_rope;                  // of sliding-window layers (gemma3: base 10,000)
  std::uint32_t sliding_window = 0;        // 0 = none
  std::uint32_t full_attention_every = 0;  // gemma3: layers i with (i + 1) % 6 == 0 attend to everything

  bool is_sliding(std::uint32_t layer) const noexcept {
    return sliding_window != 0 && (full_attention_every == 0 || (layer + 1) % full_attention_every != 0);
  }
};

}  // namespace neap::model
