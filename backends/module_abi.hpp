#pragma once
// The C entry points of a backend module (libneap-cuda.so). Server and module are built together; the version
// guards against a stale file.

#include <cstdint>

namespace neap::backend {
class backend;
}

extern "C" {

inline constexpr std::uint32_t neap_backend_abi_version = 1;

// Returns neap_backend_abi_version of the module's build.
using neap_backend_version_fn = std::uint32_t (*)();

// Makes a backend, or returns null and writes a one-line reason to `reason` (capacity bytes, always
// terminated). The caller owns the result.
using neap_backend_create_fn = neap::backend::backend* (*)(char* reason, std::uint64_t capacity);

// Symbol names for dlsym.
inline constexpr char neap_backend_version_symbol[] = "neap_backend_version";
inline constexpr char neap_backend_create_symbol[] = "neap_backend_create";
}
