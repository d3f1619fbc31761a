#include "engine/model/gguf_header.hpp"

#include "engine/model/byte_reader.hpp"
#include "engine/model/printable.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace neap::model {
namespace {

constexpr std::uint32_t magic = 0x46554747;  // "GGUF"
// Bounds far above real models, so that reading a hostile file costs little time and memory.
constexpr std::uint64_t max_values = 8192;
constexpr std::uint64_t max_array_elements = 1U << 21;
constexpr std::uint64_t max_string_bytes = 1U << 24;
constexpr std::uint64_t max_key_bytes = 65535;
constexpr std::uint64_t max_tensor_name_bytes = 64;     // the format's rule
constexpr std::size_t min_value_bytes = 8 + 1 + 4 + 1;  // key length, key, type, value
constexpr std::size_t min_tensor_bytes =
    8 + 1 + 4 + 8 + 4 + 8;  // name length, name, dimensions, one size, type, offset
constexpr std::uint64_t max_alignment = 1U << 20;

error broken(std::string message) {
  return {error_code::invalid_model_file, "GGUF: " + std::move(message), ""};
}

error cut_at(const std::string& what) { return broken("file ends inside " + what); }

struct preamble {
  std::uint64_t tensors = 0;
  std::uint64_t values = 0;
};

result<preamble> read_preamble(byte_reader& in) {
  const auto mark = in.number<std::uint32_t>();
  if (!mark || *mark != magic) return broken("not a GGUF file (wrong magic bytes)");
  const auto version = in.number<std::uint32_t>();
  if (!version) return cut_at("the version");
  if (*version != 0 && (*version & 0xFFFFU) == 0) return broken("big-endian files are not supported");
  if (*version != 2 && *version != 3)
    return broken("version " + std::to_string(*version) + " is not supported (2 and 3 are)");
  const auto tensors = in.number<std::uint64_t>();
  const auto values = in.number<std::uint64_t>();
  if (!tensors || !values) return cut_at("the counts");
  if (*tensors > in.left() / min_tensor_bytes)
    return broken("tensor count " + std::to_string(*tensors) + " exceeds the file");
  if (*tensors > max_gguf_tensors)
    return broken("tensor count " + std::to_string(*tensors) + " exceeds " +
                  std::to_string(max_gguf_tensors));
  if (*values > in.left() / min_value_bytes)
    return broken("metadata count " + std::to_string(*values) + " exceeds the file");
  if (*values > max_values)
    return broken("metadata count " + std::to_string(*values) + " exceeds " + std::to_string(max_values));
  return preamble{*tensors, *values};
}

result<void> skip_strings(byte_reader& in, std::uint64_t count, const std::string& key) {
  if (count > in.left() / 8) return broken("array " + key + " claims more strings than the file holds");
  for (std::uint64_t i = 0; i < count; ++i)
    if (!in.string()) return cut_at("string " + std::to_string(i) + " of array " + key);
  return {};
}

result<gguf_value> read_array(byte_reader& in, const std::string& key, std::span<const std::byte> file) {
  const auto type = in.number<std::uint32_t>();
  const auto count = in.number<std::uint64_t>();
  if (!type || !count) return cut_at("array " + key);
  gguf_value value{gguf_type::array, static_cast<gguf_type>(*type), *count, {}};
  if (value.element == gguf_type::array)
    return broken("array " + key + " holds arrays, which is not supported");
  if (*count > max_array_elements)
    return broken("array " + key + " has " + std::to_string(*count) + " elements, more than " +
                  std::to_string(max_array_elements));
  const auto begin = in.position();
  if (value.element == gguf_type::string) {
    if (auto skipped = skip_strings(in, *count, key); !skipped) return skipped.error();
  } else {
    const auto width = number_bytes(value.element);
    if (width == 0) return broken("array " + key + " has unknown element type " + std::to_string(*type));
    if (*count > in.left() / width) return broken("array " + key + " is longer than the file");
    in.take(*count * width);
  }
  value.raw = file.subspan(begin, in.position() - begin);
  return value;
}

result<gguf_value> read_value(byte_reader& in, const std::string& key, std::span<const std::byte> file) {
  const auto number = in.number<std::uint32_t>();
  if (!number) return cut_at("the type of " + key);
  const auto type = static_cast<gguf_type>(*number);
  if (type == gguf_type::array) return read_array(in, key, file);
  if (type == gguf_type::string) {
    const auto text = in.string();
    if (!text) return broken("string " + key + " is longer than the file");
    if (text->size() > max_string_bytes)
      return broken("string " + key + " has " + std::to_string(text->size()) + " bytes, more than " +
                    std::to_string(max_string_bytes));
    return gguf_value{type, type, 1, std::as_bytes(std::span{text->data(), text->size()})};
  }
  const auto width = number_bytes(type);
  if (width == 0) return broken("value " + key + " has unknown type " + std::to_string(*number));
  const auto raw = in.take(width);
  if (!raw) return cut_at("value " + key);
  if (type == gguf_type::boolean && std::to_integer<unsigned>(raw->front()) > 1)
    return broken("value " + key + " is a boolean that is neither 0 nor 1");
  return gguf_value{type, type, 1, *raw};
}

result<void> read_metadata(byte_reader& in, std::uint64_t count, std::span<const std::byte> file,
                           gguf_header& out) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto key = in.string();
    if (!key) return cut_at("metadata key " + std::to_string(i));
    if (key->empty() || key->size() > max_key_bytes)
      return broken("metadata key " + std::to_string(i) + " has " + std::to_string(key->size()) + " bytes");
    auto value = read_value(in, printable(*key), file);
    if (!value) return value.error();
    if (!out.metadata.emplace(*key, *value).second)
      return broken("metadata key " + printable(*key) + " is there twice");
  }
  return {};
}

// Shape and byte size; every product is checked.
result<void> check_shape(gguf_tensor& tensor) {
  const auto& row = kernels::traits(tensor.type);
  const auto name = "tensor " + printable(tensor.name);
  if (tensor.shape[0] % row.block_elements != 0)
    return broken(name + " has rows of " + std::to_string(tensor.shape[0]) + " values, not a multiple of " +
                  std::to_string(row.block_elements) + " as " + std::string{row.name} + " needs");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(tensor.shape[0] / row.block_elements, row.block_bytes, &bytes))
    return broken(name + " is too large (dimension 0)");
  for (std::uint32_t i = 1; i < tensor.dimensions; ++i)
    if (__builtin_mul_overflow(bytes, tensor.shape[i], &bytes))
      return broken(name + " is too large (dimension " + std::to_string(i) + ")");
  std::uint64_t elements = 1;
  for (const auto size : tensor.shape)
    if (__builtin_mul_overflow(elements, size, &elements)) return broken(name + " is too large");
  tensor.bytes = bytes;
  return {};
}

result<void> read_dimensions(byte_reader& in, gguf_tensor& tensor) {
  const auto name = "tensor " + printable(tensor.name);
  const auto dimensions = in.number<std::uint32_t>();
  if (!dimensions) return cut_at(name);
  if (*dimensions < 1 || *dimensions > 4)
    return broken(name + " has " + std::to_string(*dimensions) + " dimensions (1 to 4 are possible)");
  tensor.dimensions = *dimensions;
  for (std::uint32_t i = 0; i < *dimensions; ++i) {
    const auto size = in.number<std::uint64_t>();
    if (!size) return cut_at(name);
    if (*size == 0) return broken(name + " has size 0 in dimension " + std::to_string(i));
    tensor.shape[i] = *size;
  }
  return {};
}

// Fills everything but the data pointer; the returned number is the offset in the data section.
result<std::uint64_t> read_tensor(byte_reader& in, gguf_tensor& tensor) {
  const auto name = in.string();
  if (!name) return cut_at("a tensor name");
  if (name->empty() || name->size() > max_tensor_name_bytes)
    return broken("tensor name " + printable(*name) + " has " + std::to_string(name->size()) +
                  " bytes (1 to 64 are possible)");
  tensor.name = *name;
  if (auto read = read_dimensions(in, tensor); !read) return read.error();
  const auto type = in.number<std::uint32_t>();
  const auto offset = in.number<std::uint64_t>();
  if (!type || !offset) return cut_at("tensor " + printable(*name));
  if (!kernels::find_traits(*type))
    return error{
        error_code::unsupported_model,
        "tensor " + printable(*name) + " has GGUF type " + std::to_string(*type) +
            ", which is not supported (F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K are)",
        ""};
  tensor.type = static_cast<kernels::tensor_type>(*type);
  if (auto checked = check_shape(tensor); !checked) return checked.error();
  return *offset;
}

result<std::uint64_t> read_alignment(const gguf_header& header) {
  const auto found = header.metadata.find("general.alignment");
  if (found == header.metadata.end()) return std::uint64_t{32};
  if (found->second.type != gguf_type::u32) return broken("general.alignment is not a UINT32");
  std::uint32_t value = 0;
  std::memcpy(&value, found->second.raw.data(), sizeof value);
  if (value < 8 || value > max_alignment || (value & (value - 1)) != 0)
    return broken("general.alignment is " + std::to_string(value) + ", not a power of two from 8 to 1048576");
  return std::uint64_t{value};
}

result<void> place_tensors(std::span<const std::byte> file, std::size_t header_end, std::uint64_t alignment,
                           const std::vector<std::uint64_t>& offsets, std::vector<gguf_tensor>& tensors) {
  const std::uint64_t begin = (header_end + alignment - 1) / alignment * alignment;
  const std::uint64_t room = begin < file.size() ? file.size() - begin : 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto& tensor = tensors[i];
    const auto name = "tensor " + printable(tensor.name);
    if (offsets[i] % alignment != 0) return broken(name + " has an offset that is not aligned");
    if (offsets[i] > room || tensor.bytes > room - offsets[i])
      return broken(name + " needs " + std::to_string(tensor.bytes) + " bytes at offset " +
                    std::to_string(offsets[i]) + ", past the end of the file (cut download?)");
    tensor.data = file.data() + begin + offsets[i];
  }
  return {};
}

// Tensors that share bytes would let a small file claim any amount of weights.
result<void> check_overlaps(const std::vector<gguf_tensor>& tensors) {
  std::vector<const gguf_tensor*> order;
  order.reserve(tensors.size());
  for (const auto& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->data < b->data; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->data < order[i - 1]->data + order[i - 1]->bytes)
      return broken("tensor " + printable(order[i]->name) + " overlaps tensor " +
                    printable(order[i - 1]->name));
  return {};
}

result<std::vector<std::uint64_t>> read_tensors(byte_reader& in, std::uint64_t count, gguf_header& out) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < count; ++i) {
    gguf_tensor tensor;
    auto offset = read_tensor(in, tensor);
    if (!offset) return offset.error();
    offsets.push_back(*offset);
    out.tensors.push_back(std::move(tensor));
  }
  return offsets;
}

}  // namespace

std::size_t number_bytes(gguf_type type) noexcept {
  constexpr std::array<std::uint8_t, 13> widths{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  const auto index = static_cast<std::size_t>(type);
  return index < widths.size() ? widths[index] : 0;
}

result<gguf_header> parse_header(std::span<const std::byte> file) {
  byte_reader in{file};
  const auto counts = read_preamble(in);
  if (!counts) return counts.error();
  gguf_header header;
  if (auto read = read_metadata(in, counts->values, file, header); !read) return read.error();
  const auto offsets = read_tensors(in, counts->tensors, header);
  if (!offsets) return offsets.error();
  const auto alignment = read_alignment(header);
  if (!alignment) return alignment.error();
  if (auto placed = place_tensors(file, in.position(), *alignment, *offsets, header.tensors); !placed)
    return placed.error();
  if (auto checked = check_overlaps(header.tensors); !checked) return checked.error();
  return header;
}

}  // namespace neap::model
