#include "server/http/tls_context.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace neap::http {

namespace ssl = boost::asio::ssl;

namespace {

error bad(const std::string& what, const std::filesystem::path& file, const boost::system::error_code& reason) {
  return {error_code::invalid_configuration,
          what + " " + file.string() + " cannot be used: " + reason.message() + "; give a PEM file", {}};
}

}  // namespace

result<tls_context> make_tls_context(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code failure;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                           ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
                       failure);
  // Renegotiation lets a client make the server work for nothing.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);  // idle connections hold no record buffers
  // OpenSSL would ask at the terminal, and a reload would wait for it.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string{}; }, failure);
  context->use_certificate_chain_file(certificate.string(), failure);
  if (failure) return bad("the TLS certificate", certificate, failure);
  context->use_private_key_file(key.string(), ssl::context::pem, failure);
  if (failure) return bad("the TLS key", key, failure);
  if (SSL_CTX_check_private_key(context->native_handle()) != 1)
    return error{error_code::invalid_configuration,
                 "the TLS key " + key.string() + " does not belong to the certificate " + certificate.string(), {}};
  return context;
}

}  // namespace neap::http
