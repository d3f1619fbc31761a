#pragma once
// Which CUDA device there is.

#include "backends/backend.hpp"

namespace neap::backend::cuda {

// Makes the first device current and describes it. device_unavailable with the driver's reason in one line
// where there is no driver or no device; that is an ordinary answer.
result<device_properties> open_device();

}  // namespace neap::backend::cuda
