#pragma once

namespace neap::cli {

// Prints what this machine offers and what limits it. Returns the exit status.
int run_doctor();

}  // namespace neap::cli
