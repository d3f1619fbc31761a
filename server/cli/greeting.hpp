#pragma once
// What a started server tells its user.

#include <cstdint>
#include <string>

namespace neap::cli {

// "http://HOST:PORT" as a client on this machine writes it: IPv6 in brackets, loopback for "any address".
std::string browsable_address(const std::string& host, std::uint16_t port);

// A curl command that asks the server at `address` for an answer.
std::string example_request(const std::string& address);

}  // namespace neap::cli
