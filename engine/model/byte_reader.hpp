#pragma once
// A cursor over untrusted bytes: every read is checked against what is left.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace neap::model {

class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t position() const noexcept { return position_; }
  std::size_t left() const noexcept { return bytes_.size() - position_; }

  // The next `count` bytes, or nothing if fewer are left.
  std::optional<std::span<const std::byte>> take(std::uint64_t count) noexcept {
    if (count > left()) return std::nullopt;
    const auto piece = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += piece.size();
    return piece;
  }

  // A little-endian number.
  template <class T>
  std::optional<T> number() noexcept {
    const auto piece = take(sizeof(T));
    if (!piece) return std::nullopt;
    T value;
    std::memcpy(&value, piece->data(), sizeof value);
    return value;
  }

  // A GGUF string: 64-bit length, then the characters.
  std::optional<std::string_view> string() noexcept {
    const auto length = number<std::uint64_t>();
    if (!length) return std::nullopt;
    const auto piece = take(*length);
    if (!piece) return std::nullopt;
    return std::string_view{reinterpret_cast<const char*>(piece->data()), piece->size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace neap::model
