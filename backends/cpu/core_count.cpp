#include "backends/cpu/core_count.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <string>

namespace neap::backend::cpu {
namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// The same text for all hyper-threads of one core.
std::string core_name(int processor) {
  const auto name = "cpu" + std::to_string(processor);
  const auto siblings = first_line("/sys/devices/system/cpu/" + name + "/topology/thread_siblings_list");
  return siblings.empty() ? name : siblings;
}

std::uint32_t affinity_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &allowed)) cores.insert(core_name(processor));
  return static_cast<std::uint32_t>(std::max<std::size_t>(cores.size(), 1));
}

}  // namespace

std::uint32_t quota_cores(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  double quota = 0;
  double period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return static_cast<std::uint32_t>(std::ceil(std::min(quota / period, 4096.0)));
}

std::uint32_t available_cores() {
  const auto cores = affinity_cores();
  const auto quota = quota_cores(first_line("/sys/fs/cgroup/cpu.max"));
  return quota == 0 ? cores : std::min(cores, quota);
}

}  // namespace neap::backend::cpu
