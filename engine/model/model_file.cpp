#include "engine/model/model_file.hpp"

#include "engine/model/model_config_reader.hpp"
#include "engine/model/printable.hpp"

#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

namespace neap::model {
namespace {

enum class presence { required, optional, none };

// Looks tensors up by name, checks their shapes and counts them; remembers the first error.
class tensor_finder {
 public:
  explicit tensor_finder(const gguf_file& file) : file_(file) {}

  const gguf_tensor* matrix(const std::string& name, std::uint64_t columns, std::uint64_t rows,
                            presence need = presence::required) {
    return find(name, {columns, rows}, need);
  }

  // Vectors (norm weights, biases) must be floats: they are multiplied as they are.
  const gguf_tensor* vector(const std::string& name, std::uint64_t size, presence need = presence::required) {
    return find(name, {size}, need);
  }

  // Leaving out a tensor that the model was trained with would give wrong answers without a word.
  void refuse_others() {
    if (failure_ || used_.size() == file_.tensors().size()) return;
    for (const auto& tensor : file_.tensors())
      if (!used_.contains(&tensor))
        return fail_with(error_code::unsupported_model,
                         "tensor " + printable(tensor.name) + " has no place in this architecture");
  }

  void fail(std::string message) { fail_with(error_code::invalid_model_file, std::move(message)); }

  const std::optional<error>& failure() const noexcept { return failure_; }

 private:
  const gguf_tensor* find(const std::string& name, std::initializer_list<std::uint64_t> shape,
                          presence need) {
    if (need == presence::none) return nullptr;
    const auto* tensor = file_.find_tensor(name);
    if (tensor == nullptr) {
      if (need == presence::required) fail("tensor " + name + " is missing");
      return nullptr;
    }
    used_.insert(tensor);
    check_shape(*tensor, shape);
    return tensor;
  }

  void check_shape(const gguf_tensor& tensor, std::initializer_list<std::uint64_t> shape) {
    const auto& name = tensor.name;
    std::size_t i = 0;
    for (const auto size : shape)
      if (tensor.shape[i++] != size)
        fail("tensor " + name + " has size " + std::to_string(tensor.shape[i - 1]) + " in dimension " +
             std::to_string(i - 1) + ", not " + std::to_string(size));
    for (; i < tensor.shape.size(); ++i)
      if (tensor.shape[i] != 1) fail("tensor " + name + " has too many dimensions");
    if (shape.size() == 1 && kernels::traits(tensor.type).block_elements != 1)
      fail("tensor " + name + " is a vector of quantised type " +
           std::string{kernels::traits(tensor.type).name});
  }

  void fail_with(error_code code, std::string message) {
    if (!failure_) failure_ = error{code, "GGUF: " + std::move(message), ""};
  }

  const gguf_file& file_;
  std::set<const gguf_tensor*> used_;
  std::optional<error> failure_;
};

// What a family has beyond the common tensors.
struct family_parts {
  presence bias = presence::none;     // of query, key and value
  presence norms = presence::none;    // per head and after each half of a layer
  presence factors = presence::none;  // of RoPE
};

family_parts parts_of(const model_config& config) {
  switch (config.family) {
    case model_family::qwen2:
      return {.bias = presence::required};
    case model_family::gemma3:
      return {.norms = presence::required};
    case model_family::llama:
      break;
  }
  return {.bias = presence::optional,
          .factors = config.rope.scaling == rope_scaling::llama3 ? presence::required : presence::optional};
}

layer_tensors find_layer(tensor_finder& find, const model_config& c, std::uint32_t index) {
  const std::string at = "blk." + std::to_string(index) + ".";
  const std::uint64_t query_width = std::uint64_t{c.heads} * c.head_size;
  const std::uint64_t kv_width = std::uint64_t{c.kv_heads} * c.head_size;
  const auto [bias, norms, factors] = parts_of(c);
  layer_tensors layer;
  layer.attention_norm = find.vector(at + "attn_norm.weight", c.hidden);
  layer.query = find.matrix(at + "attn_q.weight", c.hidden, query_width);
  layer.key = find.matrix(at + "attn_k.weight", c.hidden, kv_width);
  layer.value = find.matrix(at + "attn_v.weight", c.hidden, kv_width);
  layer.output = find.matrix(at + "attn_output.weight", query_width, c.hidden);
  layer.query_bias = find.vector(at + "attn_q.bias", query_width, bias);
  layer.key_bias = find.vector(at + "attn_k.bias", kv_width, bias);
  layer.value_bias = find.vector(at + "attn_v.bias", kv_width, bias);
  layer.query_norm = find.vector(at + "attn_q_norm.weight", c.head_size, norms);
  layer.key_norm = find.vector(at + "attn_k_norm.weight", c.head_size, norms);
  layer.post_attention_norm = find.vector(at + "post_attention_norm.weight", c.hidden, norms);
  layer.feed_forward_norm = find.vector(at + "ffn_norm.weight", c.hidden);
  layer.gate = find.matrix(at + "ffn_gate.weight", c.hidden, c.feed_forward);
  layer.up = find.matrix(at + "ffn_up.weight", c.hidden, c.feed_forward);
  layer.down = find.matrix(at + "ffn_down.weight", c.feed_forward, c.hidden);
  layer.post_feed_forward_norm = find.vector(at + "post_ffw_norm.weight", c.hidden, norms);
  return layer;
}

// RoPE frequencies are divided by them.
void check_factors(tensor_finder& find, const gguf_tensor* tensor) {
  if (tensor == nullptr || find.failure()) return;
  std::vector<float> factors(tensor->shape[0]);
  kernels::dequantize_row(tensor->type, tensor->data, factors.size(), factors.data());
  for (const float factor : factors)
    if (!std::isfinite(factor) || factor <= 0)
      return find.fail("tensor " + tensor->name + " holds a factor that is not positive");
}

model_tensors find_tensors(tensor_finder& find, const model_config& config) {
  model_tensors out;
  out.embedding = find.matrix("token_embd.weight", config.hidden, config.vocabulary);
  out.output_norm = find.vector("output_norm.weight", config.hidden);
  out.output = find.matrix("output.weight", config.hidden, config.vocabulary, presence::optional);
  if (out.output == nullptr) out.output = out.embedding;
  out.rope_factors = find.vector("rope_freqs.weight", config.rope.rotary / 2, parts_of(config).factors);
  check_factors(find, out.rope_factors);
  for (std::uint32_t i = 0; i < config.layers && !find.failure(); ++i)
    out.layers.push_back(find_layer(find, config, i));
  find.refuse_others();
  return out;
}

error wrong_vocabulary(const std::string& what, std::uint64_t entries, std::uint64_t rows) {
  return {error_code::invalid_model_file,
          "GGUF: " + what + " is " + std::to_string(entries) + ", token_embd.weight has " +
              std::to_string(rows) + " rows",
          ""};
}

// The embedding has one row a token, so its shape is the vocabulary; the tokenizer's array must agree.
result<std::uint32_t> vocabulary_size(const gguf_file& file, std::string_view architecture) {
  constexpr std::uint64_t limit = 1U << 21;
  const auto* embedding = file.find_tensor("token_embd.weight");
  if (embedding == nullptr)
    return error{error_code::invalid_model_file, "GGUF: tensor token_embd.weight is missing", ""};
  const auto rows = embedding->shape[1];
  if (rows > limit) return wrong_vocabulary("the largest possible vocabulary", limit, rows);
  const auto tokens = file.get_strings("tokenizer.ggml.tokens");
  if (!tokens) return tokens.error();
  if (*tokens && (*tokens)->size() != rows)
    return wrong_vocabulary("the length of tokenizer.ggml.tokens", (*tokens)->size(), rows);
  const auto key = std::string{architecture}.append(".vocab_size");
  const auto size = file.get_uint(key);
  if (!size) return size.error();
  if (*size && **size != rows) return wrong_vocabulary(key, **size, rows);
  return static_cast<std::uint32_t>(rows);
}

}  // namespace

result<model_file> open_model(const std::filesystem::path& path) {
  auto file = gguf_file::open(path);
  if (!file) return std::move(file).error();
  auto config = read_config(*file);
  if (!config) return std::move(config).error();
  const auto vocabulary = vocabulary_size(*file, family_name(config->family));
  if (!vocabulary) return vocabulary.error();
  config->vocabulary = *vocabulary;
  if (config->name.empty()) config->name = escaped(path.stem().string());
  tensor_finder find{*file};
  auto tensors = find_tensors(find, *config);
  if (find.failure()) return *find.failure();
  return model_file{std::move(*file), std::move(*config), std::move(tensors)};
}

}  // namespace neap::model
