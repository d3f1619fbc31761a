#include "tests/support/tiny_gguf.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace neap::test {
namespace {

constexpr std::int32_t normal = 1, unknown = 2, control = 3, byte = 6;
constexpr std::array bpe_pieces{"th", "the", "in", "an"};
constexpr std::array sentencepiece_pieces{"\xE2\x96\x81", "t", "h", "e", "th", "the"};

// A character up to U+07FF.
std::string utf8(unsigned code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

// GPT-2 writes every byte as one printable character: those that are none stand from U+0100 on.
std::vector<std::string> byte_characters() {
  std::vector<std::string> all;
  unsigned stand_in = 256;
  for (unsigned x = 0; x < 256; ++x) {
    const bool printable = (x >= 33 && x <= 126) || (x >= 161 && x <= 172) || x >= 174;
    all.push_back(utf8(printable ? x : stand_in++));
  }
  return all;
}

void write_bpe(gguf_writer& out) {
  const auto tokens = tiny_bpe_tokens();
  std::vector<std::int32_t> types(tokens.size(), normal);
  std::fill(types.end() - 3, types.end(), control);
  out.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
  out.texts("tokenizer.ggml.tokens", tokens).ints("tokenizer.ggml.token_type", types);
  out.texts("tokenizer.ggml.merges", {"t h", "th e", "i n", "a n"});
  const auto size = static_cast<std::uint32_t>(tokens.size());
  out.number("tokenizer.ggml.bos_token_id", size - 3).number("tokenizer.ggml.eos_token_id", size - 1);
}

void write_sentencepiece(gguf_writer& out) {
  const auto tokens = tiny_sentencepiece_tokens();
  std::vector<std::int32_t> types(tokens.size(), normal);
  std::vector<float> scores(tokens.size(), 0);
  std::fill_n(types.begin(), 3, control);
  types[3] = unknown;
  std::fill_n(types.begin() + 4, 256, byte);
  for (std::size_t i = 260; i < scores.size(); ++i) scores[i] = 260.0F - static_cast<float>(i);
  out.text("tokenizer.ggml.model", "llama");
  out.texts("tokenizer.ggml.tokens", tokens).ints("tokenizer.ggml.token_type", types);
  out.floats("tokenizer.ggml.scores", scores);
  out.number("tokenizer.ggml.eos_token_id", 1).number("tokenizer.ggml.bos_token_id", 2);
  out.number("tokenizer.ggml.unknown_token_id", 3).flag("tokenizer.ggml.add_space_prefix", false);
}

// Q8_0: a half-precision scale and 32 codes; here a power of two, 2^-8, and random codes.
std::string random_q8_0(std::size_t count, std::mt19937& random) {
  std::string bytes;
  for (std::size_t i = 0; i < count / 32; ++i) {
    bytes += raw_number(std::uint16_t{(15 - 8) << 10});
    for (int j = 0; j < 32; ++j) bytes += static_cast<char>(static_cast<int>(random() % 127) - 63);
  }
  return bytes;
}

std::string random_floats(std::size_t count, float mean, float spread, std::mt19937& random) {
  std::normal_distribution<float> distribution(mean, spread);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += raw_number(distribution(random));
  return bytes;
}

class tensor_maker {
 public:
  tensor_maker(gguf_writer& out, const tiny_gguf_options& options)
      : out_(out), options_(options), random_(options.seed) {}

  void all(std::uint32_t vocabulary) {
    matrix("token_embd.weight", options_.hidden, vocabulary);
    vector("output_norm.weight", options_.hidden, 1);
    if (!options_.tied) matrix("output.weight", options_.hidden, vocabulary);
    for (std::uint32_t i = 0; i < options_.layers; ++i) layer("blk." + std::to_string(i) + ".");
  }

 private:
  void vector(const std::string& name, std::uint64_t size, float mean) {
    out_.tensor(name, {size}, 0, random_floats(size, mean, 0.1F, random_));
  }

  void matrix(const std::string& name, std::uint64_t columns, std::uint64_t rows) {
    if (options_.q8_0)
      out_.tensor(name, {columns, rows}, 8, random_q8_0(columns * rows, random_));
    else
      out_.tensor(name, {columns, rows}, 0, random_floats(columns * rows, 0, 0.2F, random_));
  }

  void layer(const std::string& at) {
    const auto width = options_.heads * options_.head_size;
    const auto kv_width = options_.kv_heads * options_.head_size;
    vector(at + "attn_norm.weight", options_.hidden, 1);
    matrix(at + "attn_q.weight", options_.hidden, width);
    matrix(at + "attn_k.weight", options_.hidden, kv_width);
    matrix(at + "attn_v.weight", options_.hidden, kv_width);
    matrix(at + "attn_output.weight", width, options_.hidden);
    if (options_.architecture == "qwen2") biases(at, width, kv_width);
    if (options_.architecture == "gemma3") norms(at);
    vector(at + "ffn_norm.weight", options_.hidden, 1);
    matrix(at + "ffn_gate.weight", options_.hidden, options_.feed_forward);
    matrix(at + "ffn_up.weight", options_.hidden, options_.feed_forward);
    matrix(at + "ffn_down.weight", options_.feed_forward, options_.hidden);
  }

  void biases(const std::string& at, std::uint32_t width, std::uint32_t kv_width) {
    vector(at + "attn_q.bias", width, 0);
    vector(at + "attn_k.bias", kv_width, 0);
    vector(at + "attn_v.bias", kv_width, 0);
  }

  void norms(const std::string& at) {
    vector(at + "attn_q_norm.weight", options_.head_size, 1);
    vector(at + "attn_k_norm.weight", options_.head_size, 1);
    vector(at + "post_attention_norm.weight", options_.hidden, 1);
    vector(at + "post_ffw_norm.weight", options_.hidden, 1);
  }

  gguf_writer& out_;
  const tiny_gguf_options& options_;
  std::mt19937 random_;
};

void write_sizes(gguf_writer& out, const tiny_gguf_options& o) {
  const auto at = o.architecture + ".";
  out.text("general.architecture", o.architecture).text("general.name", "tiny " + o.architecture);
  out.number(at + "block_count", o.layers).number(at + "embedding_length", o.hidden);
  out.number(at + "feed_forward_length", o.feed_forward).number(at + "context_length", o.context_length);
  out.number(at + "attention.head_count", o.heads).number(at + "attention.head_count_kv", o.kv_heads);
  out.number(at + "attention.key_length", o.head_size).number(at + "attention.value_length", o.head_size);
  out.real(at + "attention.layer_norm_rms_epsilon", 1e-5F).real(at + "rope.freq_base", 10000);
  if (o.architecture == "gemma3") out.number(at + "attention.sliding_window", 16);
}

}  // namespace

std::vector<std::string> tiny_bpe_tokens() {
  auto all = byte_characters();
  all.insert(all.end(), bpe_pieces.begin(), bpe_pieces.end());
  for (const auto* name : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) all.emplace_back(name);
  return all;
}

std::vector<std::string> tiny_sentencepiece_tokens() {
  constexpr char digits[] = "0123456789ABCDEF";
  std::vector<std::string> all{"<pad>", "<eos>", "<bos>", "<unk>"};
  for (unsigned x = 0; x < 256; ++x)
    all.push_back(std::string{"<0x"} + digits[x >> 4] + digits[x & 15] + ">");
  all.insert(all.end(), sentencepiece_pieces.begin(), sentencepiece_pieces.end());
  return all;
}

gguf_writer tiny_gguf(const tiny_gguf_options& options) {
  gguf_writer out;
  write_sizes(out, options);
  const bool sentencepiece = options.architecture == "gemma3";
  if (sentencepiece)
    write_sentencepiece(out);
  else
    write_bpe(out);
  if (!options.chat_template.empty()) out.text("tokenizer.chat_template", options.chat_template);
  const auto vocabulary = sentencepiece ? tiny_sentencepiece_tokens().size() : tiny_bpe_tokens().size();
  tensor_maker(out, options).all(static_cast<std::uint32_t>(vocabulary));
  return out;
}

}  // namespace neap::test
