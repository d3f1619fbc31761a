#pragma once
// Typed, range-checked access to the members of one JSON object. The first fault is kept, later ones are
// dropped; the object's members that nobody asked for are the unknown ones. `null` means absent.

#include "messages/json_value.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neap::api {

class field_reader {
 public:
  // `object` must be an object and outlive the reader. `prefix` goes before names in messages.
  explicit field_reader(const json_value& object, std::string prefix = {});

  // The member, or null if absent or JSON null. Marks the name as known.
  const json_value* any(std::string_view name);

  // Absent gives nullopt; a wrong type or a value out of [low, high] fails.
  std::optional<bool> boolean(std::string_view name);
  std::optional<double> number(std::string_view name, double low, double high);
  // Numbers without a fraction, also when written like 16.0 or 1e3.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t low, std::int64_t high);
  const std::string* string(std::string_view name);
  const json_array* array(std::string_view name);
  const json_value* object(std::string_view name);

  // Records a fault of a member, unless there is one already.
  void fail(std::string_view name, std::string_view what, error_code code = error_code::invalid_request);
  void fail(error fault);

  bool failed() const noexcept { return fault_.has_value(); }
  const std::optional<error>& fault() const noexcept { return fault_; }

  // Full names of members that were never asked for, in document order.
  std::vector<std::string> unknown() const;

 private:
  const json_value& object_;
  std::string prefix_;
  std::vector<std::string_view> known_;
  std::optional<error> fault_;
};

// The value as an integer, if it is a number without fraction that fits 64 bits.
std::optional<std::int64_t> as_integer(const json_value& value);
// The value as a number; nullopt for other types.
std::optional<double> as_number(const json_value& value);

// Most JSON numbers' bound where only the type matters.
inline constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

}  // namespace neap::api
