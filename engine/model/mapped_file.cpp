#include "engine/model/mapped_file.hpp"

#include "engine/model/printable.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace neap::model {
namespace {

error cannot_open(const std::filesystem::path& path, const std::string& reason) {
  return {error_code::invalid_model_file,
          "cannot read model file " + printable(path.string()) + ": " + reason, ""};
}

std::string system_reason() { return std::system_category().message(errno); }

result<std::span<const std::byte>> map_descriptor(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot_open(path, system_reason());
  if (!S_ISREG(status.st_mode)) return cannot_open(path, "not a regular file");
  if (status.st_size == 0) return cannot_open(path, "the file is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return cannot_open(path, system_reason());
  return std::span{static_cast<const std::byte*>(address), size};
}

}  // namespace

result<mapped_file> mapped_file::open(const std::filesystem::path& path) {
  // Not blocking: a pipe by that name would wait for a writer for ever.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_open(path, system_reason());
  auto bytes = map_descriptor(descriptor, path);
  ::close(descriptor);
  if (!bytes) return bytes.error();
  mapped_file file;
  file.bytes_ = *bytes;
  return file;
}

mapped_file::mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void mapped_file::release(std::span<const std::byte> range) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(range.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(range.data() + range.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace neap::model
