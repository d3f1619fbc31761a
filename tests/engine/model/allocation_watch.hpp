#pragma once
// Counts what operator new hands out in this test binary.

#include <cstddef>

namespace neap::test {

// Bytes allocated since the program began; freed memory still counts.
std::size_t allocated_bytes() noexcept;

}  // namespace neap::test
