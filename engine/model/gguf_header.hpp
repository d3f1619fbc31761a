#pragma once
// The header of one GGUF file: metadata and tensor list, checked against the bytes present.

#include "engine/model/gguf_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neap::model {

// Most tensors of a model, all parts together.
inline constexpr std::size_t max_gguf_tensors = 32768;

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

// Parses and checks a whole file but for duplicate tensor names, which may also be in different files. Linear
// in the header (n log n in tensors); allocates in proportion to entries that are really there.
result<gguf_header> parse_header(std::span<const std::byte> file);

// Bytes of one number of a type; 0 for strings and arrays.
std::size_t number_bytes(gguf_type type) noexcept;

}  // namespace neap::model
