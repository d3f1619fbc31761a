#pragma once
// Philox4x32-10, the counter-based generator of Salmon et al. 2011, "Parallel random numbers: as easy as 1,
// 2, 3". The n-th number of a seed is a pure function of (seed, n), so a sequence's draws do not depend on
// its neighbours, on preemption or on the order of work.

#include <array>
#include <cstdint>

namespace neap::decode {

using philox_block = std::array<std::uint32_t, 4>;

// One block of four random words for a 128-bit counter and a 64-bit key.
constexpr philox_block philox4x32(philox_block counter, std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53;
  constexpr std::uint64_t multiplier_1 = 0xCD9E8D57;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// The `index`-th uniform number of `seed`, in [0, 1), 53 bits. `stream` separates uses of one seed.
constexpr double philox_uniform(std::uint64_t seed, std::uint64_t index, std::uint32_t stream = 0) noexcept {
  const auto words =
      philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), stream, 0},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t bits = (std::uint64_t{words[0]} << 32) | words[1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace neap::decode
