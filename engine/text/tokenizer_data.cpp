#include "engine/text/tokenizer_data.hpp"

#include "engine/model/gguf_file.hpp"
#include "engine/text/end_of_generation.hpp"

#include <cmath>

namespace neap::text {
namespace {

using model::gguf_file;

constexpr std::size_t max_vocabulary = std::size_t{1} << 24;

error broken(const std::string& key, const std::string& problem) {
  return {error_code::invalid_model_file, "GGUF: " + key + " " + problem, ""};
}

result<std::optional<token_id>> read_id(const gguf_file& file, const std::string& key,
                                        std::size_t vocabulary) {
  const auto value = file.get_uint(key);
  if (!value) return value.error();
  if (!*value) return std::optional<token_id>{};
  if (**value >= vocabulary)
    return broken(key,
                  "is " + std::to_string(**value) + ", past the vocabulary of " + std::to_string(vocabulary));
  return std::optional{static_cast<token_id>(**value)};
}

result<void> read_types(const gguf_file& file, tokenizer_data& data) {
  const std::string key = "tokenizer.ggml.token_type";
  const auto types = file.get_ints(key);
  if (!types) return types.error();
  data.types.assign(data.tokens.size(), token_type::normal);
  if (!*types) return {};
  if ((*types)->size() != data.tokens.size())
    return broken(key, "has " + std::to_string((*types)->size()) + " entries for " +
                           std::to_string(data.tokens.size()) + " tokens");
  for (std::size_t i = 0; i < data.types.size(); ++i) {
    const auto number = (**types)[i];
    if (number < 0 || number > 6) return broken(key, "holds the unknown type " + std::to_string(number));
    data.types[i] = number == 0 ? token_type::normal : static_cast<token_type>(number);  // 0: not said
  }
  return {};
}

result<void> read_scores(const gguf_file& file, tokenizer_data& data) {
  const std::string key = "tokenizer.ggml.scores";
  auto scores = file.get_floats(key);
  if (!scores) return scores.error();
  if (!*scores) return data.kind == "llama" ? result<void>{broken(key, "is missing")} : result<void>{};
  if ((*scores)->size() != data.tokens.size())
    return broken(key, "has " + std::to_string((*scores)->size()) + " entries for " +
                           std::to_string(data.tokens.size()) + " tokens");
  for (const float score : **scores)
    if (!std::isfinite(score)) return broken(key, "holds a score that is no finite number");
  data.scores = std::move(**scores);
  return {};
}

result<void> read_merges(const gguf_file& file, tokenizer_data& data) {
  const std::string key = "tokenizer.ggml.merges";
  auto merges = file.get_strings(key);
  if (!merges) return merges.error();
  if (!*merges) return data.kind == "gpt2" ? result<void>{broken(key, "is missing")} : result<void>{};
  for (std::size_t i = 0; i < (*merges)->size(); ++i)
    if ((**merges)[i].find(' ', 1) == std::string_view::npos)
      return broken(key, "entry " + std::to_string(i) + " is not two pieces with a space between");
  data.merges = std::move(**merges);
  return {};
}

result<void> read_special(const gguf_file& file, tokenizer_data& data) {
  auto& special = data.special;
  const auto id = [&](const std::string& name) {
    return read_id(file, "tokenizer.ggml." + name, data.tokens.size());
  };
  const auto bos = id("bos_token_id"), eos = id("eos_token_id"), unknown = id("unknown_token_id"),
             eot = id("eot_token_id"), eom = id("eom_token_id");
  for (const auto* value : {&bos, &eos, &unknown, &eot, &eom})
    if (!*value) return value->error();
  special.bos = *bos;
  special.eos = *eos;
  data.unknown = *unknown;
  special.end_of_generation = end_of_generation(data, {*eos, *eot, *eom});
  return {};
}

result<void> read_flags(const gguf_file& file, tokenizer_data& data) {
  const auto add_bos = file.get_bool("tokenizer.ggml.add_bos_token");
  const auto add_eos = file.get_bool("tokenizer.ggml.add_eos_token");
  const auto space = file.get_bool("tokenizer.ggml.add_space_prefix");
  for (const auto* value : {&add_bos, &add_eos, &space})
    if (!*value) return value->error();
  const bool sentence_piece = data.kind == "llama";
  const bool bos_by_default = sentence_piece || (data.kind == "gpt2" && data.pre_tokenizer == "llama-bpe");
  data.special.add_bos = add_bos->value_or(bos_by_default) && data.special.bos;
  data.special.add_eos = add_eos->value_or(false) && data.special.eos;
  data.add_space_prefix = space->value_or(sentence_piece);
  return {};
}

}  // namespace

result<tokenizer_data> read_tokenizer_data(const gguf_file& file) {
  tokenizer_data data;
  const auto kind = file.get_string("tokenizer.ggml.model");
  if (!kind) return kind.error();
  if (!*kind) return broken("tokenizer.ggml.model", "is missing");
  data.kind = **kind;
  const auto pre = file.get_string("tokenizer.ggml.pre");
  if (!pre) return pre.error();
  if (*pre) data.pre_tokenizer = **pre;
  auto tokens = file.get_strings("tokenizer.ggml.tokens");
  if (!tokens) return tokens.error();
  if (!*tokens || (*tokens)->empty()) return broken("tokenizer.ggml.tokens", "is missing or empty");
  if ((*tokens)->size() > max_vocabulary) return broken("tokenizer.ggml.tokens", "has too many entries");
  data.tokens = std::move(**tokens);
  for (const auto read : {read_types, read_scores, read_merges, read_special, read_flags})
    if (auto done = read(file, data); !done) return done.error();
  return data;
}

result<std::unique_ptr<tokenizer>> load_tokenizer(const gguf_file& file) {
  auto data = read_tokenizer_data(file);
  if (!data) return std::move(data).error();
  return make_tokenizer(*data);
}

}  // namespace neap::text
