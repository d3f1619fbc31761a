#pragma once
// What a started server tells its user.

#include <cstdint>
#include <string>

namespace neap::cli {

// "http://HOST:PORT" (https with `tls`) as a client on this machine writes it: IPv6 in brackets, loopback for "any address".
std::string browsable_address(const std::string& host, std::uint16_t port, bool tls = false);

// A curl command that asks the server at `address` for an answer; with `needs_key` it sends the key in NEAP_API_KEY.
std::string example_request(const std::string& address, bool needs_key = false);

}  // namespace neap::cli
