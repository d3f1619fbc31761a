#pragma once
// The header of one GGUF file: metadata and tensor list, checked against the bytes present.

#include "engine/model/gguf_file.hpp"

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neap::model {

// A metadata value, not yet decoded; points into the mapping.
struct gguf_value {
  gguf_type type = gguf_type::u32;
  gguf_type element = gguf_type::u32;  // of an array
  std::uint64_t count = 1;             // elements of an array
  std::span<const std::byte> raw;      // the number, the characters, or the elements as stored
};

struct gguf_header {
  std::unordered_map<std::string_view, gguf_value> metadata;
  std::vector<gguf_tensor> tensors;
};

// Parses and checks a whole file. Linear in the header; allocates in proportion to entries that are really
// there.
result<gguf_header> parse_header(std::span<const std::byte> file);

// Bytes of one number of a type; 0 for strings and arrays.
std::size_t number_bytes(gguf_type type) noexcept;

}  // namespace neap::model
