#pragma once
// How many compute threads this process should use.

#include <cstdint>
#include <string_view>

namespace neap::backend::cpu {

// Physical cores that the process may run on (affinity mask, hyper-threads counted once), at most the CPU
// quota of its control group, rounded up. At least 1.
std::uint32_t available_cores();

// Cores of a control group's cpu.max ("max 100000" or "150000 100000"), rounded up; 0 = no limit or not
// readable as such.
std::uint32_t quota_cores(std::string_view cpu_max);

}  // namespace neap::backend::cpu
