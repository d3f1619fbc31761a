#include "tests/kernels/weights.hpp"

#include <cstring>
#include <random>

namespace neap::kernels::test {
namespace {

// Offsets of the fp16 fields of a block: the scale, and the minimum where the type has one.
struct half_fields {
  std::size_t scale;
  std::size_t minimum;
  bool has_minimum;
};
half_fields fields_of(tensor_type type) {
  switch (type) {
    case tensor_type::q6_k:
      return {208, 0, false};
    case tensor_type::q4_1:
    case tensor_type::q5_1:
    case tensor_type::q4_k:
    case tensor_type::q5_k:
      return {0, 2, true};
    default:
      return {0, 0, false};
  }
}

// fp16 between 2^-7 and 2^-3, of either sign.
std::uint16_t random_half(std::mt19937& engine) {
  const unsigned exponent = 8 + engine() % 4;
  return static_cast<std::uint16_t>((engine() % 2) << 15U | exponent << 10U | engine() % 1024);
}

void set_half(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint16_t half) {
  std::memcpy(bytes.data() + at, &half, sizeof half);
}

// Unquantised types: every element a small fp16 value, or the same as bf16 or float.
void fill_plain(raw_matrix& m, std::mt19937& engine) {
  const std::size_t size = m.type == tensor_type::f32 ? 4 : 2;
  std::normal_distribution<float> normal;
  for (std::size_t at = 0; at < m.bytes.size(); at += size) {
    if (m.type == tensor_type::f16) {
      set_half(m.bytes, at, random_half(engine));
      continue;
    }
    const float value = normal(engine);
    const auto* upper = reinterpret_cast<const std::uint8_t*>(&value) + 4 - size;
    std::memcpy(m.bytes.data() + at, upper, size);
  }
}

}  // namespace

std::vector<float> raw_matrix::dequantized() const {
  std::vector<float> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row)
    dequantize_row(type, bytes.data() + row * row_bytes(type, columns), columns,
                   values.data() + row * columns);
  return values;
}

raw_matrix random_matrix(tensor_type type, std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 engine(seed);
  raw_matrix m{type, rows, columns, std::vector<std::uint8_t>(rows * row_bytes(type, columns))};
  const tensor_type_traits& block = traits(type);
  if (block.block_elements == 1) {
    fill_plain(m, engine);
    return m;
  }
  for (std::uint8_t& byte : m.bytes) byte = static_cast<std::uint8_t>(engine());
  const half_fields fields = fields_of(type);
  for (std::size_t at = 0; at < m.bytes.size(); at += block.block_bytes) {
    set_half(m.bytes, at + fields.scale, random_half(engine));
    if (fields.has_minimum) set_half(m.bytes, at + fields.minimum, random_half(engine));
  }
  return m;
}

packed_weights::packed_weights(const raw_matrix& raw, packed_kind kind) {
  const std::uint32_t group = natural_group(raw.type);
  const packed_size size = packed_bytes(kind, group, raw.rows, raw.columns);
  codes_.resize((size.code_bytes + 63) / 64);
  scales_.resize((size.scale_bytes + 63) / 64);
  minimums_.resize((size.scale_bytes + 63) / 64);
  view_ = {.kind = kind,
           .group = group,
           .rows = raw.rows,
           .columns = raw.columns,
           .codes = reinterpret_cast<const std::uint8_t*>(codes_.data()),
           .scales = reinterpret_cast<const std::uint16_t*>(scales_.data()),
           .minimums = reinterpret_cast<const std::uint16_t*>(minimums_.data())};
  const std::size_t tiles = (raw.rows + packed_lanes - 1) / packed_lanes;
  pack_tiles(raw.type, raw.bytes.data(), 0, tiles / 2, view_);
  pack_tiles(raw.type, raw.bytes.data(), tiles / 2, tiles, view_);
}

quantized_activations::quantized_activations(const kernel_table& kernels, const std::vector<float>& x,
                                             std::size_t columns, std::uint32_t group, float fine_above)
    : codes8(x.size(), 99),
      codes16(x.size(), 99),
      fine(x.size() / group, 99),
      scales(x.size() / group),
      sums(x.size() / group) {
  view = {.codes8 = codes8.data(),
          .codes16 = codes16.data(),
          .fine = fine.data(),
          .scales = scales.data(),
          .sums = sums.data(),
          .rows = x.size() / columns,
          .columns = columns,
          .group = group};
  for (std::size_t at = 0; at < x.size(); at += columns)
    kernels.quantize_row(x.data() + at, columns, group, fine_above,
                         {codes8.data() + at, codes16.data() + at, fine.data() + at / group,
                          scales.data() + at / group, sums.data() + at / group});
}

}  // namespace neap::kernels::test
