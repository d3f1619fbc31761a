#pragma once
// Keys, origins and certificate as the configuration and the environment name them. Read at the start and again on
// SIGHUP.

#include "messages/proto/config.pb.h"
#include "messages/result.hpp"
#include "server/http/access.hpp"
#include "server/http/tls_context.hpp"

namespace neap::cli {

// Errors: one line that names the field, or the file and line; never a key.
result<http::access_rules> make_access_rules(const config::Config& config);

// Empty without a certificate in the configuration.
result<http::tls_context> make_tls(const config::Config& config);

}  // namespace neap::cli
