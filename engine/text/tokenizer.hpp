#pragma once
// Text <-> token ids, for the two tokenizer kinds that GGUF files of the supported families carry.

#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neap::model {
class gguf_file;
}

namespace neap::text {

// A stretch of text and whether control markers in it are real (written by the template) or typed by a user.
struct text_span {
  std::string text;
  bool parse_special = false;
};

struct special_tokens {
  std::optional<token_id> bos;
  std::optional<token_id> eos;
  bool add_bos = false;
  bool add_eos = false;
  std::vector<token_id> end_of_generation;  // sorted; eos, end of turn, ...
};

// Immutable and safe to share between threads once made.
class tokenizer {
 public:
  virtual ~tokenizer() = default;

  // Token ids of UTF-8 text, spans in order. User-defined tokens always match; control tokens only in spans
  // with parse_special. No BOS or EOS is added. Linear in the text up to a log factor. The text must be valid
  // UTF-8 (broken bytes become U+FFFD). Bytes that the vocabulary has no token for are dropped, unless the
  // file names an unknown token that is not a control token.
  virtual std::vector<token_id> encode(std::span<const text_span> spans) const = 0;

  // The bytes a token stands for; control tokens give their marker text when `with_special`, else nothing.
  // Precondition: 0 <= token < vocabulary_size().
  virtual std::string_view token_bytes(token_id token, bool with_special) const = 0;

  virtual std::size_t vocabulary_size() const noexcept = 0;
  virtual const special_tokens& special() const noexcept = 0;

  // One span; `add_special` puts BOS/EOS where the model asks, but never a second BOS.
  std::vector<token_id> encode(std::string_view text, bool parse_special, bool add_special) const;
  std::vector<token_id> encode_spans(std::span<const text_span> spans, bool add_special) const;
  // Concatenated bytes (may hold broken UTF-8 at the ends; see detokenizer.hpp for streams). Where the
  // vocabulary puts a space before text (add_space_prefix), that space is taken off again.
  virtual std::string decode(std::span<const token_id> tokens, bool with_special) const;
  bool is_end_of_generation(token_id token) const noexcept;
};

// Builds the tokenizer that the file's metadata describes. Errors name the key: invalid_model_file for
// malformed arrays (wrong element type, wrong length, ids out of range), unsupported_model for other kinds
// and pre-tokenizers. The tokenizer keeps nothing of the file.
result<std::unique_ptr<tokenizer>> load_tokenizer(const model::gguf_file& file);

}  // namespace neap::text
