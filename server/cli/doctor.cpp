#include "server/cli/doctor.hpp"

#include "backends/backend_factory.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace neap::cli {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

void line(const char* what, const std::string& text) { std::printf("%-22s %s\n", what, text.c_str()); }

// A "Name:  123 kB" line of /proc/meminfo in bytes; 0 if there is none.
double memory_line(const std::string& name) {
  std::ifstream in("/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  std::string unit;
  while (in >> key >> kilobytes && std::getline(in, unit)) {
    if (key == name + ":") return kilobytes * 1024.0;
  }
  return 0;
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / gibibyte);
  return text;
}

void show_cpu() {
  const auto cpu = backend::make_cpu_backend({});
  if (!cpu) return line("CPU backend", "cannot start: " + cpu.error().message);
  const auto device = (*cpu)->device();
  line("CPU", device.name);
  line("kernels", device.instructions);
  line("compute threads",
       std::to_string(device.threads) + " of " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " cores");
  if (device.instructions == "baseline") line("  limit", "no AVX2: products run many times slower");
  if (device.threads < 2) line("  limit", "one core: compute and network share it");
}

void show_memory() {
  const double free = memory_line("MemAvailable");
  line("memory", gigabytes(memory_line("MemTotal")) + ", " + gigabytes(free) + " available");
  if (free < gibibyte) line("  limit", "less than 1 GiB available: lower --kv-cache-max and --max-num-seqs");
}

void show_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  line("open files", std::to_string(limit.rlim_max) + " at most");
  if (limit.rlim_max < 4096) line("  limit", "each connection needs one: raise it with ulimit -n");
}

void show_cuda() {
  const auto cuda = backend::open_cuda_backend("");
  if (!cuda) return line("CUDA", "not available: " + cuda.error().message);
  const auto device = (*cuda)->device();
  line("CUDA",
       device.name + ", " + device.instructions + ", " + gigabytes(static_cast<double>(device.memory_bytes)));
}

}  // namespace

int run_doctor() {
  line("neap", NEAP_VERSION);
  show_cpu();
  show_memory();
  show_descriptors();
  show_cuda();
  return 0;
}

}  // namespace neap::cli
