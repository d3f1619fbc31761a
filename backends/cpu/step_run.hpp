#pragma once
// One step of one model: check, sequence changes, block copies, forward pass, outputs.

#include "backends/cpu/cpu_model.hpp"
#include "backends/cpu/worker_pool.hpp"

namespace neap::backend::cpu {

result<step_result> run_step(cpu_model& model, worker_pool& pool, const batch_plan& plan);

}  // namespace neap::backend::cpu
