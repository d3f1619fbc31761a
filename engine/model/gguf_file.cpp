#include "engine/model/gguf_file.hpp"

#include "engine/model/gguf_header.hpp"
#include "engine/model/gguf_parts.hpp"
#include "engine/model/mapped_file.hpp"
#include "engine/model/printable.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace neap::model {

struct gguf_file::data {
  std::vector<mapped_file> mappings;
  std::unordered_map<std::string_view, gguf_value> metadata;  // of the first part
  std::vector<gguf_tensor> tensors;
  std::vector<const gguf_tensor*> by_name;  // sorted: no file can make look-ups slow

  // Fails if a name is there twice.
  result<void> index_tensors() {
    for (const auto& tensor : tensors) by_name.push_back(&tensor);
    std::sort(by_name.begin(), by_name.end(), [](auto* a, auto* b) { return a->name < b->name; });
    const auto twice = std::adjacent_find(by_name.begin(), by_name.end(),
                                          [](auto* a, auto* b) { return a->name == b->name; });
    if (twice == by_name.end()) return {};
    return error{error_code::invalid_model_file,
                 "GGUF: tensor " + printable((*twice)->name) + " is there twice", ""};
  }

  const gguf_value* find(std::string_view key) const {
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : &found->second;
  }
};

namespace {

error wrong_type(std::string_view key, const std::string& wanted) {
  return {error_code::invalid_model_file, "GGUF: value " + printable(key) + " is not " + wanted, ""};
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// An integer of any width, if it is not negative.
std::optional<std::uint64_t> unsigned_value(gguf_type type, const std::byte* raw) {
  const auto from_signed = [](std::int64_t x) {
    return x < 0 ? std::nullopt : std::optional{static_cast<std::uint64_t>(x)};
  };
  switch (type) {
    case gguf_type::u8:
      return load<std::uint8_t>(raw);
    case gguf_type::u16:
      return load<std::uint16_t>(raw);
    case gguf_type::u32:
      return load<std::uint32_t>(raw);
    case gguf_type::u64:
      return load<std::uint64_t>(raw);
    case gguf_type::i8:
      return from_signed(load<std::int8_t>(raw));
    case gguf_type::i16:
      return from_signed(load<std::int16_t>(raw));
    case gguf_type::i32:
      return from_signed(load<std::int32_t>(raw));
    case gguf_type::i64:
      return from_signed(load<std::int64_t>(raw));
    default:
      return std::nullopt;
  }
}

template <class T>
result<std::optional<std::vector<T>>> numbers(const gguf_value* value, std::string_view key,
                                              gguf_type element, const std::string& wanted) {
  if (value == nullptr) return std::optional<std::vector<T>>{};
  if (value->type != gguf_type::array || value->element != element) return wrong_type(key, wanted);
  std::vector<T> out(value->raw.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), value->raw.data(), value->raw.size());
  return std::optional{std::move(out)};
}

}  // namespace

gguf_file::gguf_file(std::unique_ptr<data> content) : data_(std::move(content)) {}
gguf_file::gguf_file(gguf_file&&) noexcept = default;
gguf_file& gguf_file::operator=(gguf_file&&) noexcept = default;
gguf_file::~gguf_file() = default;

result<gguf_file> gguf_file::open(const std::filesystem::path& path) {
  auto parts = open_parts(path);
  if (!parts) return std::move(parts).error();
  auto out = std::make_unique<data>();
  out->metadata = std::move(parts->front().header.metadata);
  for (auto& part : *parts) {
    out->mappings.push_back(std::move(part.mapping));
    for (auto& tensor : part.header.tensors) out->tensors.push_back(std::move(tensor));
  }
  if (auto indexed = out->index_tensors(); !indexed) return indexed.error();
  return gguf_file{std::move(out)};
}

bool gguf_file::has(std::string_view key) const noexcept { return data_->find(key) != nullptr; }

result<std::optional<std::uint64_t>> gguf_file::get_uint(std::string_view key) const {
  const auto* value = data_->find(key);
  if (value == nullptr) return std::optional<std::uint64_t>{};
  const auto number = unsigned_value(value->type, value->raw.data());
  if (!number) return wrong_type(key, "an integer >= 0");
  return number;
}

result<std::optional<double>> gguf_file::get_float(std::string_view key) const {
  const auto* value = data_->find(key);
  if (value == nullptr) return std::optional<double>{};
  double number = 0;
  if (value->type == gguf_type::f32) {
    number = static_cast<double>(load<float>(value->raw.data()));
  } else if (value->type == gguf_type::f64) {
    number = load<double>(value->raw.data());
  } else if (const auto integer = unsigned_value(value->type, value->raw.data())) {
    number = static_cast<double>(*integer);
  } else {
    return wrong_type(key, "a number");
  }
  if (!std::isfinite(number)) return wrong_type(key, "a finite number");
  return std::optional{number};
}

result<std::optional<bool>> gguf_file::get_bool(std::string_view key) const {
  const auto* value = data_->find(key);
  if (value == nullptr) return std::optional<bool>{};
  if (value->type != gguf_type::boolean) return wrong_type(key, "a boolean");
  return std::optional{load<std::uint8_t>(value->raw.data()) != 0};
}

result<std::optional<std::string_view>> gguf_file::get_string(std::string_view key) const {
  const auto* value = data_->find(key);
  if (value == nullptr) return std::optional<std::string_view>{};
  if (value->type != gguf_type::string) return wrong_type(key, "a string");
  return std::optional{std::string_view{reinterpret_cast<const char*>(value->raw.data()), value->raw.size()}};
}

result<std::optional<std::vector<std::string_view>>> gguf_file::get_strings(std::string_view key) const {
  const auto* value = data_->find(key);
  if (value == nullptr) return std::optional<std::vector<std::string_view>>{};
  if (value->type != gguf_type::array || value->element != gguf_type::string)
    return wrong_type(key, "an array of strings");
  return std::optional{split_strings(value->raw, value->count)};
}

result<std::optional<std::vector<float>>> gguf_file::get_floats(std::string_view key) const {
  return numbers<float>(data_->find(key), key, gguf_type::f32, "an array of FLOAT32");
}

result<std::optional<std::vector<std::int32_t>>> gguf_file::get_ints(std::string_view key) const {
  return numbers<std::int32_t>(data_->find(key), key, gguf_type::i32, "an array of INT32");
}

const gguf_tensor* gguf_file::find_tensor(std::string_view name) const noexcept {
  const auto& all = data_->by_name;
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](auto* tensor, std::string_view wanted) { return tensor->name < wanted; });
  return found == all.end() || (*found)->name != name ? nullptr : *found;
}

std::span<const gguf_tensor> gguf_file::tensors() const noexcept { return data_->tensors; }

std::size_t gguf_file::file_bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& mapping : data_->mappings) sum += mapping.bytes().size();
  return sum;
}

void gguf_file::release_pages(const gguf_tensor& tensor) const noexcept {
  mapped_file::release({tensor.data, tensor.bytes});
}

}  // namespace neap::model
