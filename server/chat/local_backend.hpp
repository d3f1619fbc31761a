#pragma once

#include "messages/gateway.hpp"
#include "server/chat/chat_backend.hpp"

#include <memory>

namespace neap::chat {

// Asks the gateway of a node in this process, which must outlive the backend.
std::unique_ptr<chat_backend> make_local_backend(gateway& node);

}  // namespace neap::chat
