#pragma once
// What every refusal of a model file must be: quick, cheap, and one line of plain text that names the fault.

#include "messages/error.hpp"
#include "tests/support/gguf_writer.hpp"

#include <filesystem>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace neap::test {

// Random 32-bit numbers from a seed.
class seeded_random {
 public:
  explicit seeded_random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

// One class of broken files: changes a good one and returns a piece of the expected message.
struct broken_class {
  std::string name;
  std::function<std::string(gguf_writer&, seeded_random&)> break_it;
  error_code code = error_code::invalid_model_file;

  friend void PrintTo(const broken_class& x, std::ostream* out) { *out << x.name; }
};

// A message for a user: one line of printable ASCII, not long.
void expect_plain_line(const error& reason);

// Opens the file as a model; it must be refused within time and memory, with this code and text.
void expect_refused(const std::filesystem::path& path, error_code code, const std::string& named);

// Breaks a tiny model of the architecture with three seeds and expects each to be refused.
void expect_class_refused(const broken_class& each, const std::string& architecture = "llama");

}  // namespace neap::test
