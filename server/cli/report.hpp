#pragma once

#include "messages/error.hpp"

#include <cstdio>

namespace neap::cli {

// One line on stderr; the exit status of a failed command.
inline int report(const error& fault) {
  std::fprintf(stderr, "neap: %s\n", fault.message.c_str());
  return 1;
}

}  // namespace neap::cli
