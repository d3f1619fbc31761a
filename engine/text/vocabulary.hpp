#pragma once
// The tokens of a vocabulary: their bytes in one buffer, their types, and a flat hash table from bytes to id.
// Owns everything, so that a tokenizer outlives the file it came from.

#include "engine/text/tokenizer_data.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::text {

class vocabulary {
 public:
  void reserve(std::size_t tokens, std::size_t bytes);

  // Adds the next token: the bytes it stands for, or a marker's text. Ids count up from 0.
  void add(std::string_view bytes, token_type type);

  // Makes find() see the tokens added so far. Linear.
  void build_index();

  // The token that ordinary text of exactly these bytes can become (normal and user-defined ones; the lowest
  // id of equals), or -1. Control, unknown, unused and byte tokens are never found, so no text can forge
  // them.
  token_id find(std::string_view bytes) const noexcept;

  // As tokenizer::token_bytes.
  std::string_view bytes(token_id token, bool with_special) const noexcept;

  token_type type(token_id token) const noexcept { return types_[static_cast<std::size_t>(token)]; }
  std::size_t size() const noexcept { return types_.size(); }

 private:
  std::string_view stored(token_id token) const noexcept;
  std::size_t slot_of(std::string_view bytes) const noexcept;

  std::string buffer_;
  std::vector<std::size_t> ends_;
  std::vector<token_type> types_;
  std::vector<token_id> slots_;  // open addressing, linear probing; size a power of two; -1 = free
  std::size_t longest_ = 0;      // bytes of the longest token found by find()
};

}  // namespace neap::text
