#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace neap::config {

// "4096", "64K", "512M", "8G" (powers of 1024; an ending B or iB is allowed, case does not matter) -> bytes.
// Nothing for other text and for values past 2^63.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace neap::config
