#include "backends/cpu/model_weights.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace neap::backend::cpu {
namespace {

using kernels::packed_kind;
using kernels::packed_matrix;
using model::gguf_tensor;

std::size_t tiles(const packed_matrix& matrix) {
  return (matrix.rows + kernels::packed_lanes - 1) / kernels::packed_lanes;
}

// Collects what to pack, lays it out in one region, then packs it.
class weight_packer {
 public:
  weight_packer(const model::gguf_file& file, precision mode) : file_(file), mode_(mode) {}

  // `tensor` may be null: then nothing happens. `out` must stay where it is until pack() returns.
  void add_vector(const gguf_tensor* tensor, const float** out) {
    if (tensor == nullptr) return;
    vectors_.push_back({tensor, out, layout_.add(tensor->shape[0] * sizeof(float))});
  }

  void add_matrix(const gguf_tensor* tensor, packed_matrix* out) {
    const bool as_floats = mode_ == precision::float32;
    out->kind = as_floats ? packed_kind::f32 : kernels::natural_kind(tensor->type);
    out->group = as_floats ? 32 : kernels::natural_group(tensor->type);
    out->columns = tensor->shape[0];
    out->rows = tensor->shape[1];
    const auto size = kernels::packed_bytes(out->kind, out->group, out->rows, out->columns);
    const auto codes = layout_.add(size.code_bytes);
    const auto scales = layout_.add(size.scale_bytes);
    matrices_.push_back({tensor, out, codes, scales, layout_.add(size.scale_bytes)});
  }

  bool reserve() {
    memory_ = mapped_memory::reserve(layout_.size());
    if (memory_.data() == nullptr) return false;
    memory_.prefer_huge_pages();
    for (const auto& each : matrices_) place(each);
    return true;
  }

  mapped_memory pack(worker_pool& pool, const std::function<void(double)>& progress) {
    for (const auto& each : vectors_) unpack(each);
    make_tasks();
    std::atomic<std::size_t> done{0};
    pool.run([&](std::uint32_t rank) {
      pool.for_range(tasks_.size(), 1, [&](std::size_t begin, std::size_t) {
        run_task(tasks_[begin]);
        const auto finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
        if (rank == 0 && progress)
          progress(static_cast<double>(finished) / static_cast<double>(tasks_.size()));
      });
    });
    if (progress) progress(1.0);
    return std::move(memory_);
  }

 private:
  struct vector_entry {
    const gguf_tensor* tensor;
    const float** out;
    std::size_t offset;
  };
  struct matrix_entry {
    const gguf_tensor* tensor;
    packed_matrix* out;
    std::size_t codes, scales, minimums;
  };
  struct task {
    std::size_t matrix, tile_begin, tile_end;
  };

  void place(const matrix_entry& each) {
    auto& out = *each.out;
    out.codes = reinterpret_cast<const std::uint8_t*>(memory_.data() + each.codes);
    if (out.kind == packed_kind::f32) return;
    out.scales = reinterpret_cast<const std::uint16_t*>(memory_.data() + each.scales);
    out.minimums = reinterpret_cast<const std::uint16_t*>(memory_.data() + each.minimums);
  }

  void unpack(const vector_entry& each) {
    auto* out = reinterpret_cast<float*>(memory_.data() + each.offset);
    kernels::dequantize_row(each.tensor->type, each.tensor->data, each.tensor->shape[0], out);
    *each.out = out;
  }

  // Tasks of about a quarter megabyte of floats: small enough to share out evenly and to show progress.
  void make_tasks() {
    remaining_ = std::vector<std::atomic<std::size_t>>(matrices_.size());
    for (std::size_t index = 0; index < matrices_.size(); ++index) {
      const auto& matrix = *matrices_[index].out;
      const auto step = std::max<std::size_t>(65536 / (matrix.columns * kernels::packed_lanes + 1), 1);
      for (std::size_t tile = 0; tile < tiles(matrix); tile += step) {
        tasks_.push_back({index, tile, std::min(tile + step, tiles(matrix))});
        remaining_[index].fetch_add(1, std::memory_order_relaxed);
      }
    }
  }

  void run_task(const task& each) {
    const auto& entry = matrices_[each.matrix];
    kernels::pack_tiles(entry.tensor->type, entry.tensor->data, each.tile_begin, each.tile_end, *entry.out);
    if (remaining_[each.matrix].fetch_sub(1, std::memory_order_acq_rel) == 1)
      file_.release_pages(*entry.tensor);
  }

  const model::gguf_file& file_;
  precision mode_;
  layout layout_;
  mapped_memory memory_;
  std::vector<vector_entry> vectors_;
  std::vector<matrix_entry> matrices_;
  std::vector<task> tasks_;
  std::vector<std::atomic<std::size_t>> remaining_;  // tasks of each matrix
};

void add_layer(weight_packer& packer, const model::layer_tensors& from, layer_weights& to) {
  packer.add_vector(from.attention_norm, &to.attention_norm);
  packer.add_vector(from.query_bias, &to.query_bias);
  packer.add_vector(from.key_bias, &to.key_bias);
  packer.add_vector(from.value_bias, &to.value_bias);
  packer.add_vector(from.query_norm, &to.query_norm);
  packer.add_vector(from.key_norm, &to.key_norm);
  packer.add_vector(from.post_attention_norm, &to.post_attention_norm);
  packer.add_vector(from.feed_forward_norm, &to.feed_forward_norm);
  packer.add_vector(from.post_feed_forward_norm, &to.post_feed_forward_norm);
  packer.add_matrix(from.query, &to.query);
  packer.add_matrix(from.key, &to.key);
  packer.add_matrix(from.value, &to.value);
  packer.add_matrix(from.output, &to.output);
  packer.add_matrix(from.gate, &to.gate);
  packer.add_matrix(from.up, &to.up);
  packer.add_matrix(from.down, &to.down);
}

}  // namespace

result<model_weights> load_weights(const model::model_file& file, precision mode, worker_pool& pool,
                                   const std::function<void(double)>& progress) {
  model_weights weights;
  weights.layers.resize(file.tensors.layers.size());
  weights.embedding = file.tensors.embedding;
  weight_packer packer(file.file, mode);
  for (std::size_t i = 0; i < weights.layers.size(); ++i)
    add_layer(packer, file.tensors.layers[i], weights.layers[i]);
  packer.add_vector(file.tensors.output_norm, &weights.output_norm);
  packer.add_vector(file.tensors.rope_factors, &weights.rope_factors);
  packer.add_matrix(file.tensors.output, &weights.output);
  if (!packer.reserve()) return error{error_code::out_of_memory, "no memory for the model's weights", {}};
  weights.memory = packer.pack(pool, progress);
  return weights;
}

}  // namespace neap::backend::cpu
