// The CPU implementation of backend.hpp.

#include "backends/backend_factory.hpp"
#include "backends/cpu/core_count.hpp"
#include "backends/cpu/cpu_model.hpp"
#include "backends/cpu/step_run.hpp"
#include "backends/cpu/worker_pool.hpp"

#include <fstream>
#include <new>
#include <span>
#include <string>
#include <sys/sysinfo.h>
#include <system_error>
#include <utility>
#include <vector>

namespace neap::backend {
namespace cpu {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

std::size_t memory_bytes() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? static_cast<std::size_t>(info.totalram) * info.mem_unit : 0;
}

error out_of_memory(std::string what) {
  return {error_code::out_of_memory, "not enough memory for " + std::move(what), {}};
}

// What the kernels can compute; families and types were checked when the file was opened.
std::optional<error> unsupported(const model::model_config& config) {
  if (config.head_size % 16 != 0 || config.head_size > 256)
    return error{error_code::unsupported_model,
                 "head size " + std::to_string(config.head_size) + " is not a multiple of 16 up to 256",
                 {}};
  return std::nullopt;
}

void set_rope(cpu_model& model) {
  const auto& config = model.config();
  const auto pairs = config.rope.rotary / 2;
  const auto* factors = model.weights.rope_factors;
  model.rope[0] = make_frequencies(config.rope,
                                   factors == nullptr ? std::span<const float>{} : std::span(factors, pairs));
  model.rope[1] = config.local_rope.rotary == 0 ? model.rope[0] : make_frequencies(config.local_rope, {});
}

class cpu_backend final : public backend {
 public:
  explicit cpu_backend(const cpu_options& options)
      : pool_(options.threads == 0 ? available_cores() : options.threads, options.nice),
        kernels_(&kernels::kernels_for(kernels::best_isa())) {}

  device_properties device() const override {
    return {"cpu", processor_name(), std::string(kernels_->name), pool_.size(), memory_bytes()};
  }

  result<model_index> load(const load_options& options) override try {
    if (auto reason = unsupported(options.model->config)) return std::move(*reason);
    auto model = std::make_unique<cpu_model>();
    model->options = options;
    model->kernels = kernels_;
    model->scratch.resize(pool_.size());
    auto weights = load_weights(*options.model, options.precision, pool_, options.progress);
    if (!weights) return weights.error();
    model->weights = std::move(*weights);
    set_rope(*model);
    model->arena = make_arena(model->config(), options.max_batch_tokens);
    if (model->arena.memory.data() == nullptr) return out_of_memory("activations");
    models_.push_back(std::move(model));
    return static_cast<model_index>(models_.size() - 1);
  } catch (const std::bad_alloc&) {
    return out_of_memory("the model");
  }

  void unload(model_index model) override {
    if (model < models_.size()) models_[model].reset();
  }

  model_properties properties(model_index index) const override {
    if (find(index) == nullptr) return {};
    const auto& model = *models_[index];
    const auto& config = model.config();
    return {config.vocabulary,
            config.hidden,
            config.layers,
            config.context_length,
            model.weights.memory.size(),
            model.arena.memory.size(),
            kv_store::block_bytes(config, model.options.kv_type),
            model.kv.blocks()};
  }

  result<void> reserve_kv(model_index index, std::uint32_t blocks) override {
    auto* model = find(index);
    if (model == nullptr) return error{error_code::internal, "KV blocks for a model that is not loaded", {}};
    if (blocks == 0 || !model->kv.reserve(model->config(), model->options.kv_type, blocks))
      return out_of_memory(std::to_string(blocks) + " KV blocks");
    return {};
  }

  result<step_result> run(const batch_plan& plan) override try {
    auto* model = find(plan.model);
    if (model == nullptr) return error{error_code::internal, "batch plan for a model that is not loaded", {}};
    return run_step(*model, pool_, plan);
  } catch (const std::bad_alloc&) {
    return out_of_memory("a step");
  }

  void reset(model_index index) override {
    if (auto* model = find(index)) model->sequences.clear();
  }

 private:
  cpu_model* find(model_index index) const { return index < models_.size() ? models_[index].get() : nullptr; }

  worker_pool pool_;
  const kernels::kernel_table* kernels_;
  std::vector<std::unique_ptr<cpu_model>> models_;
};

}  // namespace
}  // namespace cpu

result<std::unique_ptr<backend>> make_cpu_backend(const cpu_options& options) try {
  return std::unique_ptr<backend>(std::make_unique<cpu::cpu_backend>(options));
} catch (const std::system_error& failure) {
  return error{
      error_code::device_unavailable, std::string("cannot start compute threads: ") + failure.what(), {}};
}

}  // namespace neap::backend
