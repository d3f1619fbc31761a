#include "engine/model/model_config_reader.hpp"

#include "engine/model/metadata_reader.hpp"
#include "engine/model/printable.hpp"

#include <array>
#include <cmath>
#include <string>

namespace neap::model {
namespace {

constexpr std::uint32_t gemma3_full_attention_every = 6;
constexpr double gemma3_local_rope_base = 10000;
constexpr std::uint32_t gemma3_27b_layers = 62;
constexpr std::uint64_t quantization_version = 2;  // of the block layouts of ggml since May 2023

result<model_family> read_family(const gguf_file& file) {
  const auto name = file.get_string("general.architecture");
  if (!name) return name.error();
  if (!*name) return error{error_code::invalid_model_file, "GGUF: general.architecture is missing", ""};
  for (const auto family : {model_family::llama, model_family::qwen2, model_family::gemma3})
    if (**name == family_name(family)) return family;
  return error{error_code::unsupported_model,
               "architecture " + printable(**name) + " is not supported; supported: llama, qwen2, gemma3",
               ""};
}

// Variants of a family whose arithmetic this build does not have: answering as if it had would be wrong.
void refuse_variants(metadata_reader& in) {
  constexpr std::array off_at_zero{"expert_count",
                                   "attn_logit_softcapping",
                                   "final_logit_softcapping",
                                   "attention.max_alibi_bias",
                                   "attention.clamp_kqv",
                                   "attention.scale",
                                   "attention.temperature_length",
                                   "logit_scale",
                                   "residual_scale",
                                   "embedding_scale",
                                   "interleave_moe_layer_step",
                                   "rope.scaling.yarn_log_multiplier"};
  for (const auto* key : off_at_zero) in.refuse_unless(key, 0.0);
  in.refuse_unless("attention.causal", true);
  in.refuse_unless("use_parallel_residual", false);
  for (const auto* key : {"rope.scaling.attn_factor", "rope.scaling.yarn_ext_factor",
                          "rope.scaling.yarn_attn_factor", "rope.scaling.yarn_beta_slow"})
    in.refuse_unless(key, 1.0);
  in.refuse_unless("rope.scaling.yarn_beta_fast", 32.0);
}

// Of what kind the file is at all.
result<void> check_general(const gguf_file& file) {
  const auto kind = file.get_string("general.type");
  if (!kind) return kind.error();
  if (*kind && **kind != "model")
    return error{error_code::invalid_model_file,
                 "GGUF: general.type is " + printable(**kind) + ", not 'model'", ""};
  const auto version = file.get_uint("general.quantization_version");
  if (!version) return version.error();
  if (*version && **version != quantization_version)
    return error{
        error_code::unsupported_model,
        "GGUF: general.quantization_version " + std::to_string(**version) + " is not supported (2 is)", ""};
  return {};
}

void read_sizes(metadata_reader& in, model_config& config) {
  config.layers = in.uint("block_count", 1, 1024);
  config.hidden = in.uint("embedding_length", 16, 65536);
  config.feed_forward = in.uint("feed_forward_length", 16, 1U << 20);
  config.heads = in.uint("attention.head_count", 1, 1024);
  config.kv_heads = in.uint("attention.head_count_kv", 1, 1024, config.heads);
  config.head_size =
      in.uint("attention.key_length", 16, 256, config.heads ? config.hidden / config.heads : 0);
  config.context_length = in.uint("context_length", 1, 1U << 24);
  config.norm_epsilon = static_cast<float>(in.number("attention.layer_norm_rms_epsilon", 0, 1));
  const auto value_size = in.uint("attention.value_length", 16, 256, config.head_size);
  in.require(value_size == config.head_size, "attention.value_length", "differs from the key length");
  in.require(config.kv_heads != 0 && config.heads % config.kv_heads == 0, "attention.head_count_kv",
             "does not divide the head count");
  in.require(
      config.head_size % 16 == 0 && config.head_size >= 16 && config.head_size <= 256, "attention.key_length",
      "(or the width per head) is " + std::to_string(config.head_size) + ", no multiple of 16 up to 256");
}

// Files from before the type was written have only a factor, which is linear.
rope_scaling read_scaling(metadata_reader& in) {
  const bool has_factor = in.has("rope.scaling.factor") || in.has("rope.scale_linear");
  const auto name = in.text("rope.scaling.type", has_factor ? "linear" : "none");
  if (name == "linear") return rope_scaling::linear;
  if (name == "yarn") return rope_scaling::yarn;
  if (name == "llama3") return rope_scaling::llama3;
  in.require(name == "none", "rope.scaling.type",
             "is " + printable(name) + " (none, linear, yarn and llama3 are known)");
  return rope_scaling::none;
}

void read_rope(metadata_reader& in, model_config& config) {
  auto& rope = config.rope;
  rope.base = static_cast<float>(in.number("rope.freq_base", 2, 1e12, 10000));
  rope.rotary = in.uint("rope.dimension_count", 2, 256, config.head_size);
  rope.interleaved = config.family == model_family::llama;
  rope.scaling = read_scaling(in);
  const double old_factor = in.number("rope.scale_linear", 1e-3, 1e6, 1);
  rope.factor = static_cast<float>(in.number("rope.scaling.factor", 1e-3, 1e6, old_factor));
  rope.original_context = in.uint("rope.scaling.original_context_length", 1, 1U << 24, config.context_length);
  in.require(rope.scaling != rope_scaling::llama3 || config.family == model_family::llama,
             "rope.scaling.type", "is 'llama3' in another family");
  in.require(rope.rotary % 2 == 0 && rope.rotary <= config.head_size, "rope.dimension_count",
             "is odd or larger than a head");
}

// Gemma 3 technical report (2025): five sliding-window layers for each full one, which alone scale their
// positions.
void adapt_gemma3(metadata_reader& in, model_config& config) {
  config.gelu = true;
  config.embedding_scale = std::sqrt(static_cast<float>(config.hidden));
  config.full_attention_every =
      in.uint("attention.sliding_window_pattern", 1, 1024, gemma3_full_attention_every);
  config.local_rope = {};
  config.local_rope.base =
      static_cast<float>(in.number("rope.freq_base_swa", 2, 1e12, gemma3_local_rope_base));
  config.local_rope.rotary = config.rope.rotary;
  config.local_rope.interleaved = config.rope.interleaved;
  // The 27B model alone scales queries by its own width per head.
  if (config.layers == gemma3_27b_layers && config.heads != 0)
    config.attention_scale =
        1.0F / std::sqrt(static_cast<float>(config.hidden) / static_cast<float>(config.heads));
}

}  // namespace

result<model_config> read_config(const gguf_file& file) {
  const auto family = read_family(file);
  if (!family) return family.error();
  if (auto checked = check_general(file); !checked) return checked.error();
  metadata_reader in{file, std::string{family_name(*family)} + "."};
  model_config config;
  config.family = *family;
  config.name = escaped(in.text_at("general.name", ""));
  refuse_variants(in);
  read_sizes(in, config);
  read_rope(in, config);
  config.local_rope = config.rope;
  config.attention_scale = 1.0F / std::sqrt(static_cast<float>(config.head_size));
  config.sliding_window = in.uint("attention.sliding_window", 0, 1U << 24, 0);
  if (config.family == model_family::gemma3) adapt_gemma3(in, config);
  if (in.failure()) return *in.failure();
  return config;
}

}  // namespace neap::model
