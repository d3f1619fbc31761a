// R1: damage to a real model's file. NEAP_MUTATIONS raises the number of changes, e.g. to 10000
// before a release.

#include "engine/model/model_file.hpp"
#include "tests/engine/model/refusal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace neap::test {
namespace {

const std::string model_name = std::string{NEAP_MODELS_DIR} + "/SmolLM2-135M-Instruct.Q4_1.gguf";

// A copy of the real header; the weights behind it are a hole, so that copies are cheap.
class real_damage_test : public testing::Test {
 protected:
  real_damage_test() : file_(read_header()) { std::filesystem::resize_file(file_.path(), full_size()); }

  static std::uint64_t full_size() { return std::filesystem::file_size(model_name); }

  static std::string read_header() {
    const auto opened = model::open_model(model_name);
    if (!opened) throw std::runtime_error(opened.error().message + " (run scripts/setup)");
    const auto* first = opened->file.tensors().front().data;
    for (const auto& tensor : opened->file.tensors()) first = std::min(first, tensor.data);
    std::size_t weights = 0;
    for (const auto& tensor : opened->file.tensors())
      weights = std::max(weights, static_cast<std::size_t>(tensor.data - first) + tensor.bytes);
    std::string header(opened->file.file_bytes() - weights, '\0');
    std::ifstream{model_name, std::ios::binary}.read(header.data(),
                                                     static_cast<std::streamsize>(header.size()));
    return header;
  }

  void overwrite(std::size_t at, std::string_view bytes) const {
    std::fstream out{file_.path(), std::ios::binary | std::ios::in | std::ios::out};
    out.seekp(static_cast<std::streamoff>(at));
    out << bytes;
  }

  // Opens or is refused with a plain line, in time.
  bool survives() const {
    const auto begin = std::chrono::steady_clock::now();
    const auto opened = model::open_model(file_.path());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{2});
    if (!opened) expect_plain_line(opened.error());
    return opened.has_value();
  }

  temporary_file file_;
};

TEST_F(real_damage_test, random_changes_in_the_first_64_kib) {
  constexpr std::size_t area = 65536;
  const auto* wanted = std::getenv("NEAP_MUTATIONS");
  const int rounds = wanted == nullptr ? 500 : std::atoi(wanted);
  std::string sound(area, '\0');
  std::ifstream{model_name, std::ios::binary}.read(sound.data(), area);
  ASSERT_TRUE(survives());
  seeded_random random{23};
  int opened = 0;
  for (int i = 0; i < rounds && !HasFailure(); ++i) {
    auto bytes = sound;
    // Half of the changes near the beginning, where the model's own keys are.
    const std::size_t reach = i % 2 == 0 ? 2048 : area;
    for (unsigned n = 1 + random() % 8; n > 0; --n) bytes[random() % reach] = static_cast<char>(random());
    overwrite(0, bytes);
    if (survives()) ++opened;
  }
  EXPECT_GT(opened, rounds / 50);
  EXPECT_LT(opened, rounds);
}

TEST_F(real_damage_test, cut_at_256_points) {
  const auto step = full_size() / 257;
  for (std::uint64_t i = 256; i > 0; --i) {
    std::filesystem::resize_file(file_.path(), i * step);
    ASSERT_FALSE(survives()) << i * step;
  }
}

}  // namespace
}  // namespace neap::test
