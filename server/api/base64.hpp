#pragma once

#include <span>
#include <string>

namespace neap::api {

// RFC 4648 with padding, of the values as little-endian 32-bit floats.
std::string base64_of(std::span<const float> values);

}  // namespace neap::api
