#pragma once
// Writes GGUF files piece by piece, also wrong ones: every number of the format can be overridden.

#include "engine/model/gguf_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neap::test {

// The bytes of a number as the file has them.
template <class T>
std::string raw_number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A GGUF string: length and characters.
inline std::string raw_string(std::string_view text) {
  return raw_number(std::uint64_t{text.size()}).append(text);
}

// The type and value of an array of numbers.
template <class T>
std::string raw_array(model::gguf_type element, const std::vector<T>& values) {
  std::string all = raw_number(model::gguf_type::array) + raw_number(element);
  all += raw_number(std::uint64_t{values.size()});
  for (const auto value : values) all += raw_number(value);
  return all;
}

struct written_tensor {
  std::string name;
  std::vector<std::uint64_t> shape;  // shape[0] is the contiguous one
  std::uint32_t type = 0;            // GGUF's number
  std::string data;
  std::optional<std::uint32_t> dimensions;  // in place of the size of `shape`
  std::optional<std::uint64_t> offset;      // in place of the next free one
};

class gguf_writer {
 public:
  // A value under a key, in place of an earlier one of this key.
  gguf_writer& text(const std::string& key, std::string_view value);
  gguf_writer& number(const std::string& key, std::uint32_t value);
  gguf_writer& real(const std::string& key, float value);
  gguf_writer& flag(const std::string& key, bool value);
  gguf_writer& texts(const std::string& key, const std::vector<std::string>& values);
  gguf_writer& floats(const std::string& key, const std::vector<float>& values);
  gguf_writer& ints(const std::string& key, const std::vector<std::int32_t>& values);
  // `bytes` is type and value as the file has them.
  gguf_writer& raw(const std::string& key, std::string bytes);
  gguf_writer& remove(const std::string& key);

  gguf_writer& tensor(const std::string& name, std::vector<std::uint64_t> shape, std::uint32_t type,
                      std::string data);
  // Fails the test if there is none.
  written_tensor& tensor(const std::string& name);
  gguf_writer& remove_tensor(const std::string& name);

  // Everything up to the tensor data, without padding.
  std::string header() const;
  std::string bytes() const;

  std::vector<std::pair<std::string, std::string>> values;  // key; type and value as the file has them
  std::vector<written_tensor> tensors;
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // used for the layout; general.alignment is a value like others
  std::optional<std::uint64_t> value_count;
  std::optional<std::uint64_t> tensor_count;
};

// A file that is removed at the end; its name is unique in the process unless given.
class temporary_file {
 public:
  explicit temporary_file(std::string_view bytes, const std::string& name = {});
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace neap::test
