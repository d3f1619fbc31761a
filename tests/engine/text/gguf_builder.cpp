#include "tests/engine/text/gguf_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace neap::test {
namespace {

using model::gguf_type;

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string raw_text(std::string_view text) { return raw(std::uint64_t{text.size()}).append(text); }

}  // namespace

gguf_builder& gguf_builder::put(const std::string& key, std::string value) {
  remove(key);
  values_.emplace_back(key, std::move(value));
  return *this;
}

gguf_builder& gguf_builder::remove(const std::string& key) {
  std::erase_if(values_, [&](const auto& each) { return each.first == key; });
  return *this;
}

gguf_builder& gguf_builder::text(const std::string& key, std::string_view value) {
  return put(key, raw(gguf_type::string) + raw_text(value));
}

gguf_builder& gguf_builder::number(const std::string& key, std::uint32_t value) {
  return put(key, raw(gguf_type::u32) + raw(value));
}

gguf_builder& gguf_builder::flag(const std::string& key, bool value) {
  return put(key, raw(gguf_type::boolean) + raw(std::uint8_t{value}));
}

gguf_builder& gguf_builder::texts(const std::string& key, const std::vector<std::string>& values) {
  std::string all = raw(gguf_type::array) + raw(gguf_type::string) + raw(std::uint64_t{values.size()});
  for (const auto& value : values) all += raw_text(value);
  return put(key, std::move(all));
}

template <class T>
gguf_builder& gguf_builder::numbers(const std::string& key, gguf_type element, const std::vector<T>& values) {
  std::string all = raw(gguf_type::array) + raw(element) + raw(std::uint64_t{values.size()});
  for (const auto value : values) all += raw(value);
  return put(key, std::move(all));
}

gguf_builder& gguf_builder::floats(const std::string& key, const std::vector<float>& values) {
  return numbers(key, gguf_type::f32, values);
}

gguf_builder& gguf_builder::ints(const std::string& key, const std::vector<std::int32_t>& values) {
  return numbers(key, gguf_type::i32, values);
}

gguf_builder& gguf_builder::bytes(const std::string& key, const std::vector<std::uint8_t>& values) {
  return numbers(key, gguf_type::u8, values);
}

result<model::gguf_file> gguf_builder::open() const {
  std::string all =
      "GGUF" + raw(std::uint32_t{3}) + raw(std::uint64_t{0}) + raw(std::uint64_t{values_.size()});
  for (const auto& [key, value] : values_) all += raw_text(key) + value;
  all.resize((all.size() + 31) / 32 * 32);
  const auto path = testing::TempDir() + "neap-text-" + std::to_string(getpid()) + ".gguf";
  std::ofstream{path, std::ios::binary} << all;
  auto file = model::gguf_file::open(path);
  std::filesystem::remove(path);  // the mapping stays
  return file;
}

}  // namespace neap::test
