#include "engine/model/gguf_parts.hpp"

#include "engine/model/byte_reader.hpp"
#include "engine/model/printable.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>

namespace neap::model {
namespace {

struct split_name {
  std::string stem;  // before "-00001-of-00003.gguf"
  unsigned index = 0;
  unsigned count = 0;
};

std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "-00001-of-00003" at the end of a file name without its extension.
std::optional<split_name> parse_split_name(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  constexpr std::size_t tail = 15;
  if (path.extension() != ".gguf" || stem.size() <= tail) return std::nullopt;
  const std::string_view end = std::string_view{stem}.substr(stem.size() - tail);
  if (end[0] != '-' || end.substr(6, 4) != "-of-") return std::nullopt;
  const auto index = digits(end.substr(1, 5));
  const auto count = digits(end.substr(10, 5));
  if (!index || !count) return std::nullopt;
  return split_name{stem.substr(0, stem.size() - tail), *index, *count};
}

result<gguf_part> open_part(const std::filesystem::path& path) {
  auto mapping = mapped_file::open(path);
  if (!mapping) return mapping.error();
  auto header = parse_header(mapping->bytes());
  if (!header)
    return error{header.error().code, printable(path.filename().string()) + ": " + header.error().message,
                 ""};
  return gguf_part{std::move(*mapping), std::move(*header)};
}

std::optional<std::uint64_t> split_key(const gguf_header& header, std::string_view key) {
  const auto found = header.metadata.find(key);
  if (found == header.metadata.end()) return std::nullopt;
  const auto width = number_bytes(found->second.type);
  if (width == 0 || width > 8 || found->second.type == gguf_type::f32 || found->second.type == gguf_type::f64)
    return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, found->second.raw.data(), width);
  return value;
}

error split_error(const std::filesystem::path& path, const std::string& message) {
  return {error_code::invalid_model_file, printable(path.filename().string()) + ": " + message, ""};
}

result<void> check_split(const gguf_part& part, const std::filesystem::path& path, unsigned index,
                         unsigned count) {
  const auto number = split_key(part.header, "split.no");
  const auto total = split_key(part.header, "split.count");
  if (!number || *number != index) return split_error(path, "split.no is not " + std::to_string(index));
  if (!total || *total != count) return split_error(path, "split.count is not " + std::to_string(count));
  return {};
}

std::filesystem::path part_path(const std::filesystem::path& path, const split_name& name, unsigned index) {
  char tail[32];
  std::snprintf(tail, sizeof tail, "-%05u-of-%05u.gguf", index, name.count);
  return path.parent_path() / (name.stem + tail);
}

result<std::vector<gguf_part>> open_single(const std::filesystem::path& path) {
  auto part = open_part(path);
  if (!part) return std::move(part).error();
  if (const auto total = split_key(part->header, "split.count"); total && *total > 1)
    return split_error(path, "is one part of a split model; its name must end in -00001-of-NNNNN.gguf");
  std::vector<gguf_part> parts;
  parts.push_back(std::move(*part));
  return parts;
}

// The first part says how many tensors all parts hold.
result<void> check_total(const gguf_part& first, const std::filesystem::path& path, std::size_t tensors) {
  const auto claimed = split_key(first.header, "split.tensors.count");
  if (!claimed || *claimed == tensors) return {};
  return split_error(path, "split.tensors.count is " + std::to_string(*claimed) + ", the parts hold " +
                               std::to_string(tensors) + " tensors");
}

result<std::vector<gguf_part>> open_split(const std::filesystem::path& path, const split_name& name) {
  std::vector<gguf_part> parts;
  std::size_t tensors = 0;
  for (unsigned i = 1; i <= name.count; ++i) {
    const auto file = part_path(path, name, i);
    auto part = open_part(file);
    if (!part) return std::move(part).error();
    if (auto checked = check_split(*part, file, i - 1, name.count); !checked) return checked.error();
    tensors += part->header.tensors.size();
    if (tensors > max_gguf_tensors) return split_error(file, "the parts hold too many tensors");
    parts.push_back(std::move(*part));
  }
  if (auto checked = check_total(parts.front(), path, tensors); !checked) return checked.error();
  return parts;
}

}  // namespace

result<std::vector<gguf_part>> open_parts(const std::filesystem::path& path) {
  const auto name = parse_split_name(path);
  if (!name) return open_single(path);
  if (name->count == 0 || name->index > name->count)
    return split_error(path, "the name counts " + std::to_string(name->count) + " parts");
  if (name->index != 1) return split_error(path, "open the first part of a split model (-00001-of-...)");
  if (name->count == 1) return open_single(path);
  return open_split(path, *name);
}

std::vector<std::string_view> split_strings(std::span<const std::byte> raw, std::size_t count) {
  std::vector<std::string_view> out;
  out.reserve(count);
  byte_reader in{raw};
  while (const auto text = in.string()) out.push_back(*text);
  return out;
}

}  // namespace neap::model
