#pragma once
// Certificate and key of an HTTPS server. No Beast.

#include "messages/result.hpp"

#include <filesystem>
#include <memory>

namespace boost::asio::ssl {
class context;
}

namespace neap::http {

using tls_context = std::shared_ptr<boost::asio::ssl::context>;

// TLS 1.2 and newer with the certificate chain and its private key, both PEM. Errors: invalid_configuration in one line
// if a file cannot be read, is no PEM, or the two do not belong together.
result<tls_context> make_tls_context(const std::filesystem::path& certificate, const std::filesystem::path& key);

}  // namespace neap::http
