#pragma once
// Writes small GGUF files with nothing but metadata, also wrong ones.

#include "engine/model/gguf_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neap::test {

class gguf_builder {
 public:
  // A value under a key; an earlier one of the same key is replaced.
  gguf_builder& text(const std::string& key, std::string_view value);
  gguf_builder& number(const std::string& key, std::uint32_t value);
  gguf_builder& flag(const std::string& key, bool value);
  gguf_builder& texts(const std::string& key, const std::vector<std::string>& values);
  gguf_builder& floats(const std::string& key, const std::vector<float>& values);
  gguf_builder& ints(const std::string& key, const std::vector<std::int32_t>& values);
  gguf_builder& bytes(const std::string& key, const std::vector<std::uint8_t>& values);
  gguf_builder& remove(const std::string& key);

  // Writes the file to the test's temporary folder and opens it.
  result<model::gguf_file> open() const;

 private:
  template <class T>
  gguf_builder& numbers(const std::string& key, model::gguf_type element, const std::vector<T>& values);
  gguf_builder& put(const std::string& key, std::string value);

  std::vector<std::pair<std::string, std::string>> values_;  // key, type and value as stored
};

}  // namespace neap::test
