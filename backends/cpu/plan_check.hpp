#pragma once
// Checks a plan before anything of it runs, so that a faulty plan changes nothing and reads no foreign
// memory.

#include "backends/cpu/cpu_model.hpp"
#include "messages/batch_plan.hpp"
#include "messages/error.hpp"

#include <optional>

namespace neap::backend::cpu {

// The first fault found, as error_code::internal. Cost: linear in the plan.
std::optional<error> check_plan(const batch_plan& plan, const cpu_model& model);

}  // namespace neap::backend::cpu
