#pragma once
// Where a server is.

#include "messages/result.hpp"

#include <string>

namespace neap::bench {

struct endpoint {
  std::string host;
  std::string port;
};

// "http://host:port", with or without OpenAI's /v1. Error: invalid_request that says what form is expected.
result<endpoint> parse_url(const std::string& url);

}  // namespace neap::bench
