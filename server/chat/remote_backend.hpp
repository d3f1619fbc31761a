#pragma once

#include "server/chat/chat_backend.hpp"

#include <memory>

namespace neap::chat {

struct remote_options {
  std::string url;               // http://HOST:PORT, with or without /v1
  std::string model;             // empty: the server's first
  std::string api_key;           // sent as a bearer token unless empty
  double timeout_seconds = 600;  // of one answer
};

// Asks an OpenAI-compatible server. Error where it cannot be reached or names no model.
result<std::unique_ptr<chat_backend>> make_remote_backend(const remote_options& options);

}  // namespace neap::chat
