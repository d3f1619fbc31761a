#pragma once
// A GGUF v2/v3 file, mapped read-only and checked completely before anything is used. Format: the GGUF
// specification in ggml's docs/gguf.md. Every offset, size, count and type is validated against the bytes
// present; nothing is allocated because a file claims a size.

#include "kernels/tensor_type.hpp"
#include "messages/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neap::model {

struct gguf_tensor {
  std::string name;
  kernels::tensor_type type = kernels::tensor_type::f32;
  std::uint32_t dimensions = 1;                    // 1-4
  std::array<std::uint64_t, 4> shape{1, 1, 1, 1};  // shape[0] is the contiguous one
  const std::byte* data = nullptr;                 // inside the mapping, checked to hold `bytes`
  std::size_t bytes = 0;
};

// Metadata element types, as GGUF numbers them.
enum class gguf_type : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};

class gguf_file {
 public:
  // Maps and checks the file (for "...-00001-of-00003.gguf" all its parts). Errors name the field and what is
  // wrong: invalid_model_file, or unsupported_model for tensor types this build does not know.
  static result<gguf_file> open(const std::filesystem::path& path);

  gguf_file(gguf_file&&) noexcept;
  gguf_file& operator=(gguf_file&&) noexcept;
  ~gguf_file();

  // Whether a key is there, with any type.
  bool has(std::string_view key) const noexcept;

  // Metadata by key: nothing if absent, an error if present with another type (integers convert if they fit).
  result<std::optional<std::uint64_t>> get_uint(std::string_view key) const;
  result<std::optional<double>> get_float(std::string_view key) const;
  result<std::optional<bool>> get_bool(std::string_view key) const;
  result<std::optional<std::string_view>> get_string(
      std::string_view key) const;  // valid as long as the file
  result<std::optional<std::vector<std::string_view>>> get_strings(std::string_view key) const;
  result<std::optional<std::vector<float>>> get_floats(std::string_view key) const;
  result<std::optional<std::vector<std::int32_t>>> get_ints(std::string_view key) const;

  const gguf_tensor* find_tensor(std::string_view name) const noexcept;
  std::span<const gguf_tensor> tensors() const noexcept;
  std::size_t file_bytes() const noexcept;

  // Tells the kernel that the pages of this tensor are no longer needed (after repacking).
  void release_pages(const gguf_tensor& tensor) const noexcept;

 private:
  struct data;
  explicit gguf_file(std::unique_ptr<data> data);
  std::unique_ptr<data> data_;
};

}  // namespace neap::model
