#pragma once
// A file mapped read-only.

#include "messages/result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>

namespace neap::model {

class mapped_file {
 public:
  // Errors name the path and the system's reason; an empty file or a directory is refused.
  static result<mapped_file> open(const std::filesystem::path& path);

  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  // Drops the resident pages that lie completely inside `range`, a part of any mapping; reading them again
  // loads them from the file.
  static void release(std::span<const std::byte> range) noexcept;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace neap::model
