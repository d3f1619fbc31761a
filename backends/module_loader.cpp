// Opens a backend that lives in its own shared library, so that the server needs no driver to start.

#include "backends/backend_factory.hpp"
#include "backends/module_abi.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <system_error>

namespace neap::backend {
namespace {

// One line, valid as an error's message.
error unavailable(const std::string& module_path, std::string reason) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return {error_code::device_unavailable, "cannot use backend module " + module_path + ": " + reason, {}};
}

std::string loader_reason() {
  const char* reason = dlerror();
  return reason == nullptr ? "unknown loader error" : reason;
}

// A bare file name is looked for next to the running binary before the library path.
void* open_module(const std::string& module_path) {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;  // objects of the module may outlive any owner
  if (module_path.find('/') == std::string::npos) {
    std::error_code failed;
    const auto binary = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto beside = binary.parent_path() / module_path;
    if (!failed && std::filesystem::exists(beside, failed)) return dlopen(beside.c_str(), flags);
  }
  return dlopen(module_path.c_str(), flags);
}

template <class Function>
Function find_function(void* module, const char* name) {
  return reinterpret_cast<Function>(dlsym(module, name));
}

}  // namespace

result<std::unique_ptr<backend>> open_cuda_backend(const std::string& path) {
  const std::string module_path = path.empty() ? "libneap-cuda.so" : path;
  void* module = open_module(module_path);
  if (module == nullptr) return unavailable(module_path, loader_reason());
  const auto version = find_function<neap_backend_version_fn>(module, neap_backend_version_symbol);
  const auto create = find_function<neap_backend_create_fn>(module, neap_backend_create_symbol);
  if (version == nullptr || create == nullptr) return unavailable(module_path, "it is no Neap backend");
  if (version() != neap_backend_abi_version)
    return unavailable(module_path, "interface version " + std::to_string(version()) + ", this build needs " +
                                        std::to_string(neap_backend_abi_version));
  std::array<char, 512> reason{};
  std::unique_ptr<backend> made(create(reason.data(), reason.size()));
  if (!made) return unavailable(module_path, reason.data());
  return made;
}

}  // namespace neap::backend
