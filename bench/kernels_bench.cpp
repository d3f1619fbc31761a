// How fast are the CPU kernels? Matrix products in multiply-adds a second, attention likewise, packing in
// bytes a second; one thread. The benchmark's name gives ISA, weight type and shape.

#include "kernels/kernel_table.hpp"

#include <benchmark/benchmark.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace neap::kernels;

struct alignas(64) line {
  std::uint8_t bytes[64];
};

// Random weights in the packed form; scales of 1.
struct random_weights {
  std::vector<line> codes, scales, minimums;
  packed_matrix view;

  random_weights(packed_kind kind, std::uint32_t group, std::size_t rows, std::size_t columns) {
    const packed_size size = packed_bytes(kind, group, rows, columns);
    codes.resize(size.code_bytes / 64 + 1);
    scales.resize(size.scale_bytes / 64 + 1);
    minimums.resize(size.scale_bytes / 64 + 1);
    std::mt19937 engine(1);
    if (kind != packed_kind::f32)
      for (line& l : codes)
        for (std::uint8_t& byte : l.bytes) byte = static_cast<std::uint8_t>(engine());
    fill_with_ones(scales);
    fill_with_ones(minimums);
    view = {kind,
            group,
            rows,
            columns,
            codes.front().bytes,
            reinterpret_cast<const std::uint16_t*>(scales.data()),
            reinterpret_cast<const std::uint16_t*>(minimums.data())};
  }
  static void fill_with_ones(std::vector<line>& lines) {
    for (line& l : lines)
      for (int i = 1; i < 64; i += 2) l.bytes[i] = 0x3C;
  }
};

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 engine(2);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(engine);
  return values;
}

struct quantized_buffers {
  std::vector<std::int8_t> codes8;
  std::vector<std::int16_t> codes16;
  std::vector<std::uint8_t> fine;
  std::vector<float> scales, sums;

  quantized_buffers(std::size_t count, std::size_t group)
      : codes8(count), codes16(count), fine(count / group), scales(count / group), sums(count / group) {}
  quantized_row view() { return {codes8.data(), codes16.data(), fine.data(), scales.data(), sums.data()}; }
};

void report_multiply_adds(benchmark::State& state, double per_call) {
  state.counters["GMAC/s"] = benchmark::Counter(per_call * static_cast<double>(state.iterations()) / 1e9,
                                                benchmark::Counter::kIsRate);
}

struct product_shape {
  packed_kind kind;
  std::uint32_t group;
  std::size_t features, columns, rows;
  float fine_above;
};

void bench_matmul(benchmark::State& state, const kernel_table& kernels, product_shape s) {
  const random_weights w(s.kind, s.group, s.features, s.columns);
  const std::vector<float> x = random_floats(s.rows * s.columns);
  quantized_buffers buffers(x.size(), s.group);
  kernels.quantize_row(x.data(), x.size(), s.group, s.fine_above, buffers.view());
  const auto to = buffers.view();
  const quantized_rows q{to.codes8, to.codes16, to.fine, to.scales, to.sums, s.rows, s.columns, s.group};
  std::vector<float> out(s.rows * s.features);
  const std::size_t tiles = (s.features + packed_lanes - 1) / packed_lanes;
  for (auto _ : state) {
    if (s.kind == packed_kind::f32)
      kernels.matmul_f32(w.view, x.data(), s.rows, 0, tiles, out.data(), s.features);
    else
      kernels.matmul_quantized(w.view, q, 0, tiles, out.data(), s.features);
    benchmark::ClobberMemory();
  }
  const double weights = static_cast<double>(s.features) * static_cast<double>(s.columns);
  report_multiply_adds(state, weights * static_cast<double>(s.rows));
  const packed_size size = packed_bytes(s.kind, s.group, s.features, s.columns);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(size.code_bytes + 2 * size.scale_bytes));
}

// `rows` consecutive positions at the end of `context`; 9 query heads and 3 KV heads of 64.
void bench_attention(benchmark::State& state, const kernel_table& kernels, std::uint32_t context,
                     std::uint32_t rows) {
  constexpr std::uint32_t heads = 9, kv_heads = 3, head_size = 64;
  const std::uint32_t blocks = context / 16;
  std::vector<std::uint16_t> keys(std::size_t{blocks} * kv_heads * head_size * 16, 0x2E66), values = keys;
  const kv_layer layer{keys.data(), values.data(), kv_type::f16, kv_heads, head_size};
  std::vector<std::uint32_t> table(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) table[i] = blocks - 1 - i;
  const std::vector<float> queries = random_floats(std::size_t{rows} * heads * head_size);
  std::vector<float> out(queries.size());
  std::vector<attention_row> calls;
  double pairs = 0;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::size_t at = std::size_t{r} * heads * head_size;
    calls.push_back({queries.data() + at, out.data() + at, table.data(), context - rows + r, 0});
    pairs += context - rows + r + 1;
  }
  for (auto _ : state) {
    kernels.attention(layer, calls.data(), rows, heads, 0, kv_heads, 0.125F);
    benchmark::ClobberMemory();
  }
  report_multiply_adds(state, pairs * heads * head_size * 2);
}

void bench_pack(benchmark::State& state, tensor_type type) {
  constexpr std::size_t rows = 1536, columns = 2048;
  const std::vector<std::uint8_t> source(rows * row_bytes(type, columns), 0x2A);
  random_weights w(natural_kind(type), natural_group(type), rows, columns);
  for (auto _ : state) pack_tiles(type, source.data(), 0, rows / packed_lanes, w.view);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(source.size()));
}

void bench_layers(benchmark::State& state, const kernel_table& kernels, int which) {
  constexpr std::size_t count = 1536;
  std::vector<float> x = random_floats(count), y = random_floats(count), z(count);
  quantized_buffers quantized(count, 32);
  for (auto _ : state) {
    if (which == 0) kernels.quantize_row(x.data(), count, 32, 2.0F, quantized.view());
    if (which == 1) kernels.rms_norm(x.data(), y.data(), count, 1e-5F, z.data());
    if (which == 2) kernels.gated_activation(activation::silu, z.data(), y.data(), count);
    if (which == 3) benchmark::DoNotOptimize(kernels.argmax(x.data(), count));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

struct named_kind {
  const char* name;
  packed_kind kind;
  std::uint32_t group;
  float fine_above;
};

void register_products(const kernel_table& kernels) {
  constexpr std::size_t shapes[][2] = {{576, 576}, {1536, 576}, {576, 1536}, {49152, 576}};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // Of normally distributed values, a group of 32 is above 2.9 about one time in eight.
  constexpr named_kind kinds[] = {{"bits4fine", packed_kind::bits4, 32, 0},
                                  {"bits4mixed", packed_kind::bits4, 32, 2.9F},
                                  {"bits4coarse", packed_kind::bits4, 32, infinity},
                                  {"bits8fine", packed_kind::bits8, 32, 0},
                                  {"bits8mixed", packed_kind::bits8, 32, 2.9F},
                                  {"bits8coarse", packed_kind::bits8, 32, infinity},
                                  {"bits8g16coarse", packed_kind::bits8, 16, infinity},
                                  {"f32", packed_kind::f32, 32, 0}};
  for (const named_kind& kind : kinds)
    for (const auto& shape : shapes)
      for (const std::size_t rows : {1, 4, 8, 32, 128, 512}) {
        const product_shape s{kind.kind, kind.group, shape[0], shape[1], rows, kind.fine_above};
        const std::string name = std::string("matmul/") + std::string(kernels.name) + "/" + kind.name + "/" +
                                 std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "/" +
                                 std::to_string(rows);
        benchmark::RegisterBenchmark(name.c_str(), bench_matmul, kernels, s);
      }
}

void register_layers(const kernel_table& kernels) {
  const std::string isa_name(kernels.name);
  for (const std::uint32_t context : {512U, 2048U})
    for (const std::uint32_t rows : {1U, 8U, 128U}) {
      const std::string name =
          "attention/" + isa_name + "/" + std::to_string(context) + "/" + std::to_string(rows);
      benchmark::RegisterBenchmark(name.c_str(), bench_attention, kernels, context, rows);
    }
  constexpr const char* names[] = {"quantize_row", "rms_norm", "silu", "argmax"};
  for (int i = 0; i < 4; ++i)
    benchmark::RegisterBenchmark((std::string(names[i]) + "/" + isa_name).c_str(), bench_layers, kernels, i);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > best_isa()) continue;
    register_products(kernels_for(level));
    register_layers(kernels_for(level));
  }
  for (const tensor_type type : {tensor_type::q4_1, tensor_type::q4_k, tensor_type::q6_k, tensor_type::q8_0})
    benchmark::RegisterBenchmark((std::string("pack/") + std::string(traits(type).name)).c_str(), bench_pack,
                                 type);
  benchmark::RunSpecifiedBenchmarks();
}
