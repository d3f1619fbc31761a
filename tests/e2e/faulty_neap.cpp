// The `neap` command with faults in its device. NEAP_FAULTS lists them: "crash:20 crash:45 fail:60 sleep:80" throws at
// the 20th and 45th step, fails the 60th, and makes the 80th take three seconds.

#include "server/cli/command_line.hpp"
#include "tests/support/faulty_backend.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::map<std::uint64_t, std::string> wanted_faults() {
  std::map<std::uint64_t, std::string> out;
  const auto* text = std::getenv("NEAP_FAULTS");
  std::istringstream words{text == nullptr ? "" : text};
  for (std::string word; words >> word;) {
    const auto colon = word.find(':');
    out[std::stoull(word.substr(colon + 1))] = word.substr(0, colon);
  }
  return out;
}

std::optional<neap::error> inject(const std::string& fault) {
  if (fault == "crash") throw std::runtime_error("injected crash");
  if (fault == "fail") return neap::error{neap::error_code::internal, "injected failure", ""};
  std::this_thread::sleep_for(std::chrono::seconds{3});
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  neap::server::node_hooks hooks;
  hooks.wrap_device = [faults = wanted_faults()](auto device) -> std::shared_ptr<neap::backend::backend> {
    const auto before_step = [faults](const neap::batch_plan&, std::uint64_t step) -> std::optional<neap::error> {
      const auto found = faults.find(step);
      return found == faults.end() ? std::nullopt : inject(found->second);
    };
    return std::make_shared<neap::test::faulty_backend>(std::move(device), before_step);
  };
  return neap::cli::run_command_line(argc, argv, [](int status) { std::_Exit(status); }, hooks);
}
