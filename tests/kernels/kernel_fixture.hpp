#pragma once
// Shared by the kernel tests: one body over every instruction set of this CPU, and deterministic data.

#include "kernels/kernel_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace neap::kernels::test {

// Every ISA this machine can run; in a test of emulated kernels, theirs alone.
inline std::vector<isa> available_isas() {
#if defined(NEAP_EMULATED_ISA)
  return {isa::NEAP_EMULATED_ISA};
#else
  std::vector<isa> levels;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512})
    if (level <= best_isa()) levels.push_back(level);
  return levels;
#endif
}

inline std::string isa_name(const testing::TestParamInfo<isa>& info) {
  return std::string(kernels_for(info.param).name);
}

// Runs one test body for each ISA.
class kernel_test : public testing::TestWithParam<isa> {
 protected:
  const kernel_table& kernels() const { return kernels_for(GetParam()); }
};

#define NEAP_FOR_EACH_ISA(suite) \
  INSTANTIATE_TEST_SUITE_P(all, suite, testing::ValuesIn(available_isas()), isa_name)

// Normal values with the given deviation.
inline std::vector<float> random_floats(std::size_t count, unsigned seed, float deviation = 1.0F) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<float> values(count);
  for (float& v : values) v = normal(engine);
  return values;
}

// A copy of some values that begins `offset` bytes past a 64-byte boundary.
template <class T>
class misaligned_copy {
 public:
  misaligned_copy(const std::vector<T>& values, std::size_t offset)
      : bytes_(values.size() * sizeof(T) + offset + 64) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    begin_ = bytes_.data() + (64 - address % 64) % 64 + offset;
    std::memcpy(begin_, values.data(), values.size() * sizeof(T));
  }
  const T* data() const { return reinterpret_cast<const T*>(begin_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint8_t* begin_;
};

// Bitwise equality: also tells NaN from NaN and 0 from -0.
template <class T>
bool same_bits(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

}  // namespace neap::kernels::test
