#pragma once
// Reads a family's metadata keys with range checks; remembers the first error, so that the caller reads all
// fields in a row.

#include "engine/model/gguf_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace neap::model {

class metadata_reader {
 public:
  // `prefix` such as "llama." stands before every key but those called full.
  metadata_reader(const gguf_file& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  // A value in [low, high]; absent without a fallback is an error. After an error the low bound is returned.
  std::uint32_t uint(std::string_view key, std::uint32_t low, std::uint32_t high,
                     std::optional<std::uint32_t> fallback = {});
  double number(std::string_view key, double low, double high, std::optional<double> fallback = {});

  // A string of the family, or of any key; valid as long as the file.
  std::string_view text(std::string_view key, std::string_view fallback);
  std::string_view text_at(std::string_view full_key, std::string_view fallback);

  // Whether the file has this key of the family, with any type.
  bool has(std::string_view key) const { return file_.has(full(key)); }

  // Notes an error about a key if the condition does not hold.
  void require(bool condition, std::string_view key, const std::string& problem);

  // Notes an error if the file has this key with another value than the one that changes nothing.
  void refuse_unless(std::string_view key, double neutral);
  void refuse_unless(std::string_view key, bool neutral);

  const std::optional<error>& failure() const noexcept { return failure_; }

 private:
  std::string full(std::string_view key) const { return prefix_ + std::string{key}; }
  void fail(error reason);
  void fail(std::string_view key, const std::string& problem);
  void fail_unsupported(std::string_view key);

  const gguf_file& file_;
  std::string prefix_;
  std::optional<error> failure_;
};

}  // namespace neap::model
