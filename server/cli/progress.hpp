#pragma once
// Progress on stderr: a bar on a terminal, a plain line for each new stage otherwise.

#include <cstdio>
#include <string>

namespace neap::cli {

class progress {
 public:
  explicit progress(std::FILE* out = stderr);
  ~progress();  // ends the bar's line

  // `share` in [0,1].
  void show(const std::string& stage, double share);

 private:
  std::FILE* out_;
  bool terminal_;
  bool open_ = false;
  std::string stage_;
  int percent_ = -1;
};

}  // namespace neap::cli
