#pragma once
// A value or an error. std::expected is not in this compiler's library yet; the subset here has its names.

#include "messages/error.hpp"

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

namespace neap {

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : data_(std::in_place_index<0>, std::move(value)) {}
  result(neap::error reason) : data_(std::in_place_index<1>, std::move(reason)) {}

  bool has_value() const noexcept { return data_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // Precondition of value(): has_value(); of error(): !has_value().
  T& value() & { return *std::get_if<0>(&data_); }
  const T& value() const& { return *std::get_if<0>(&data_); }
  T&& value() && { return std::move(*std::get_if<0>(&data_)); }
  const neap::error& error() const& { return *std::get_if<1>(&data_); }
  neap::error&& error() && { return std::move(*std::get_if<1>(&data_)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, neap::error> data_;
};

// Success without a value, or an error.
template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(neap::error reason) : error_(std::move(reason)) {}

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  const neap::error& error() const { return *error_; }

 private:
  std::optional<neap::error> error_;
};

}  // namespace neap
