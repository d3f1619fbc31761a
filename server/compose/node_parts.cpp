#include "server/compose/node_parts.hpp"

#include "backends/backend_factory.hpp"
#include "server/compose/chat_template_source.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace neap::server {
namespace {

std::int64_t unix_seconds() { return static_cast<std::int64_t>(std::time(nullptr)); }

std::size_t physical_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// What processes may still take, the loaded weights not counted; 0 if the kernel does not tell.
std::size_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string line;
  while (std::getline(in, line)) {
    constexpr std::string_view name = "MemAvailable:";
    if (line.starts_with(name)) return std::strtoull(line.c_str() + name.size(), nullptr, 10) * 1024;
  }
  return 0;
}

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
  return text;
}

result<std::shared_ptr<backend::backend>> open_device(const node_options& options) {
  if (options.device != "cpu") {
    auto cuda = backend::open_cuda_backend("");
    if (cuda) return std::shared_ptr<backend::backend>{std::move(*cuda)};
    if (options.device == "cuda") return cuda.error();
  }
  auto cpu = backend::make_cpu_backend({options.threads});
  if (!cpu) return cpu.error();
  return std::shared_ptr<backend::backend>{std::move(*cpu)};
}

// FNV-1a (Fowler, Noll, Vo) over what decides about answers.
std::string fingerprint_of(const node_options& options, const node_parts& parts) {
  std::error_code ignored;
  const std::string all = parts.served.name + '/' + std::to_string(parts.context_length) + '/' +
                          std::to_string(std::filesystem::file_size(options.model_path, ignored)) + '/' +
                          std::to_string(static_cast<int>(options.precision)) + '/' + NEAP_VERSION;
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  char text[32];
  std::snprintf(text, sizeof text, "fp_%010llx", static_cast<unsigned long long>(hash & 0xFFFFFFFFFF));
  return text;
}

// Before the weights take their time; reserve_memory() asks again, with them in memory.
result<void> check_pool(const node_options& options) {
  const auto available = available_memory();
  if (available == 0 || options.kv_cache_max_bytes <= available) return {};
  return error{error_code::out_of_memory,
               "a KV pool of " + gibibytes(options.kv_cache_max_bytes) + " is more than the " +
                   gibibytes(available) + " available; lower --kv-cache-max",
               ""};
}

result<void> open_file(const node_options& options, node_parts& parts) {
  auto file = model::open_model(options.model_path);
  if (!file) return file.error();
  parts.model = std::make_shared<const model::model_file>(std::move(*file));
  const auto& config = parts.model->config;
  if (options.max_model_len > config.context_length)
    return error{error_code::invalid_configuration,
                 "--max-model-len " + std::to_string(options.max_model_len) + " is more than the model's " +
                     std::to_string(config.context_length) + " tokens; use 0 or at most that",
                 ""};
  parts.context_length = options.max_model_len == 0 ? config.context_length : options.max_model_len;
  parts.served = {
      options.served_model_name.empty() ? options.model_path.stem().string() : options.served_model_name,
      parts.context_length, config.vocabulary, unix_seconds()};
  parts.served.embedding_length = config.hidden;
  parts.served.fingerprint = fingerprint_of(options, parts);
  return {};
}

result<void> load_text(const node_options& options, node_parts& parts) {
  auto vocabulary = text::load_tokenizer(parts.model->file);
  if (!vocabulary) return std::move(vocabulary).error();
  parts.vocabulary = std::move(*vocabulary);
  auto chat = load_chat_template(options.chat_template_path, parts.model->file);
  if (!chat) return chat.error();
  if (*chat != nullptr) {
    parts.served.uses_tools = (*chat)->uses_tools();
    parts.served.tool_calls = text::to_string((*chat)->tool_calls());
  }
  parts.encoder = std::make_shared<const request::prompt_encoder>(parts.vocabulary, std::move(*chat),
                                                                  unix_seconds, parts.context_length);
  return {};
}

result<void> load_weights(const node_options& options, node_parts& parts, const progress_callback& progress) {
  auto device = open_device(options);
  if (!device) return device.error();
  parts.device = std::move(*device);
  backend::load_options load;
  load.model = parts.model;
  load.precision = options.precision;
  load.kv_type = options.kv_type;
  load.max_batch_tokens = step_tokens(options);
  load.max_rows = options.max_num_seqs;
  load.progress = [&](double share) { progress({"weights", share}); };
  const auto index = parts.device->load(load);
  if (!index) return index.error();
  parts.index = *index;
  parts.properties = parts.device->properties(*index);
  return {};
}

result<void> reserve_memory(const node_options& options, node_parts& parts) {
  const auto& p = parts.properties;
  const auto available = available_memory();
  if (available > 0 && options.kv_cache_max_bytes > available)
    return error{error_code::out_of_memory,
                 "a KV pool of " + gibibytes(options.kv_cache_max_bytes) + " beside weights of " +
                     gibibytes(p.weight_bytes) + " is more than the " + gibibytes(available) +
                     " available; lower --kv-cache-max",
                 ""};
  parts.zones =
      memory::plan_zones({p.weight_bytes, p.arena_bytes, p.kv_block_bytes, options.kv_cache_max_bytes,
                          physical_memory(), options.max_num_seqs, parts.context_length});
  if (parts.zones.kv_blocks == 0)
    return error{error_code::out_of_memory,
                 "the KV cache holds not even one block of " + std::to_string(p.kv_block_bytes) +
                     " bytes; raise --kv-cache-max",
                 ""};
  return parts.device->reserve_kv(parts.index, parts.zones.kv_blocks);
}

// One token through every layer: touches the weights and proves that the device works.
result<void> warm_up(node_parts& parts) {
  batch_plan plan;
  plan.starts.push_back({.sequence = 1, .prompt = std::make_shared<const std::vector<token_id>>(1, 0)});
  plan.tokens = {0};
  plan.block_tables = {0};
  plan.rows.push_back({1, 0, 0, 1, 0, 1, 0, output_sample});
  const auto outcome = parts.device->run(plan);
  parts.device->reset(parts.index);
  if (!outcome) return outcome.error();
  return {};
}

}  // namespace

std::uint32_t step_tokens(const node_options& options) noexcept {
  return std::max(options.max_num_batched_tokens, options.max_num_seqs);
}

result<node_parts> load_parts(const node_options& options, const progress_callback& progress) {
  node_parts parts;
  if (auto done = check_pool(options); !done) return done.error();
  progress({"open", 0});
  if (auto done = open_file(options, parts); !done) return done.error();
  progress({"tokenizer", 0});
  if (auto done = load_text(options, parts); !done) return done.error();
  if (auto done = load_weights(options, parts, progress); !done) return done.error();
  progress({"memory", 0});
  if (auto done = reserve_memory(options, parts); !done) return done.error();
  progress({"warm-up", 0});
  if (auto done = warm_up(parts); !done) return done.error();
  return parts;
}

}  // namespace neap::server
