#include "tests/support/gguf_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace neap::test {
namespace {

using model::gguf_type;

std::uint64_t aligned(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

gguf_writer& gguf_writer::raw(const std::string& key, std::string bytes) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](auto& each) { return each.first == key; });
  if (found == values.end())
    values.emplace_back(key, std::move(bytes));
  else
    found->second = std::move(bytes);
  return *this;
}

gguf_writer& gguf_writer::remove(const std::string& key) {
  std::erase_if(values, [&](const auto& each) { return each.first == key; });
  return *this;
}

gguf_writer& gguf_writer::text(const std::string& key, std::string_view value) {
  return raw(key, raw_number(gguf_type::string) + raw_string(value));
}

gguf_writer& gguf_writer::number(const std::string& key, std::uint32_t value) {
  return raw(key, raw_number(gguf_type::u32) + raw_number(value));
}

gguf_writer& gguf_writer::real(const std::string& key, float value) {
  return raw(key, raw_number(gguf_type::f32) + raw_number(value));
}

gguf_writer& gguf_writer::flag(const std::string& key, bool value) {
  return raw(key, raw_number(gguf_type::boolean) + raw_number(std::uint8_t{value}));
}

gguf_writer& gguf_writer::texts(const std::string& key, const std::vector<std::string>& list) {
  std::string all = raw_array(gguf_type::string, std::vector<std::uint8_t>{});
  all.resize(all.size() - sizeof(std::uint64_t));
  all += raw_number(std::uint64_t{list.size()});
  for (const auto& value : list) all += raw_string(value);
  return raw(key, std::move(all));
}

gguf_writer& gguf_writer::floats(const std::string& key, const std::vector<float>& list) {
  return raw(key, raw_array(gguf_type::f32, list));
}

gguf_writer& gguf_writer::ints(const std::string& key, const std::vector<std::int32_t>& list) {
  return raw(key, raw_array(gguf_type::i32, list));
}

gguf_writer& gguf_writer::tensor(const std::string& name, std::vector<std::uint64_t> shape,
                                 std::uint32_t type, std::string data) {
  tensors.push_back({name, std::move(shape), type, std::move(data), {}, {}});
  return *this;
}

written_tensor& gguf_writer::tensor(const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](auto& each) { return each.name == name; });
  if (found != tensors.end()) return *found;
  ADD_FAILURE() << "no tensor " << name;
  return tensors.emplace_back();
}

gguf_writer& gguf_writer::remove_tensor(const std::string& name) {
  std::erase_if(tensors, [&](const auto& each) { return each.name == name; });
  return *this;
}

std::string gguf_writer::header() const {
  std::string out = magic + raw_number(version);
  out += raw_number(tensor_count.value_or(tensors.size()));
  out += raw_number(value_count.value_or(values.size()));
  for (const auto& [key, value] : values) out += raw_string(key) + value;
  std::uint64_t next = 0;
  for (const auto& each : tensors) {
    out += raw_string(each.name);
    out += raw_number(each.dimensions.value_or(static_cast<std::uint32_t>(each.shape.size())));
    for (const auto size : each.shape) out += raw_number(size);
    out += raw_number(each.type) + raw_number(each.offset.value_or(next));
    next += aligned(each.data.size(), alignment);
  }
  return out;
}

std::string gguf_writer::bytes() const {
  std::string out = header();
  out.resize(aligned(out.size(), alignment));
  const auto begin = out.size();
  for (const auto& each : tensors) {
    out += each.data;
    out.resize(begin + aligned(out.size() - begin, alignment));
  }
  return out;
}

temporary_file::temporary_file(std::string_view bytes, const std::string& name) {
  static int number = 0;
  const auto own = "neap-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".gguf";
  path_ = std::filesystem::path{testing::TempDir()} / (name.empty() ? own : name);
  write(bytes);
}

temporary_file::~temporary_file() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void temporary_file::write(std::string_view bytes) const {
  std::ofstream out{path_, std::ios::binary};
  out << bytes;
  if (!out.flush()) ADD_FAILURE() << "cannot write " << path_;
}

}  // namespace neap::test
