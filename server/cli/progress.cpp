#include "server/cli/progress.hpp"

#include <algorithm>
#include <unistd.h>

namespace neap::cli {
namespace {

constexpr int width = 30;  // characters of the bar

}  // namespace

progress::progress(std::FILE* out) : out_(out), terminal_(::isatty(::fileno(out)) == 1) {}

progress::~progress() {
  if (open_) std::fputc('\n', out_);
}

void progress::show(const std::string& stage, double share) {
  const int percent = static_cast<int>(std::clamp(share, 0.0, 1.0) * 100.0);
  if (stage == stage_ && (percent == percent_ || !terminal_)) return;
  if (!terminal_) {
    std::fprintf(out_, "%s ...\n", stage.c_str());
  } else {
    const int done = percent * width / 100;
    std::fprintf(out_, "\r[%s%s] %3d%% %-20s", std::string(static_cast<std::size_t>(done), '#').c_str(),
                 std::string(static_cast<std::size_t>(width - done), '.').c_str(), percent, stage.c_str());
    open_ = true;
  }
  std::fflush(out_);
  stage_ = stage;
  percent_ = percent;
}

}  // namespace neap::cli
