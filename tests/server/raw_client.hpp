#pragma once
// A plain blocking TCP client for tests, and a server on a free port behind a fake gateway.

#include "server/http/http_server.hpp"
#include "tests/support/fake_gateway.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace neap::http {

class raw_client {
 public:
  // Connects to loopback. `receive_buffer` > 0 limits what the kernel takes for a reader that does not read.
  // `socket` >= 0: to be used instead of a new one.
  explicit raw_client(std::uint16_t port, int receive_buffer = 0, int socket = -1);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  void send(const std::string& bytes);
  // Reads until `text` was received, the connection ended, or `limit` passed; returns all since the last
  // call.
  std::string read_until(const std::string& text,
                         std::chrono::milliseconds limit = std::chrono::milliseconds(5000));
  // Reads to the end of the connection.
  std::string read_all(std::chrono::milliseconds limit = std::chrono::milliseconds(5000));
  // True if the last read ended because the server closed (or reset) the connection.
  bool closed() const noexcept { return closed_; }

  void half_close();  // FIN, still reading
  void reset();       // RST
  void close();       // FIN

 private:
  int socket_ = -1;
  bool closed_ = false;
};

struct http_fixture {
  // Starts with the given limits on a free port.
  explicit http_fixture(const limits& with = {});
  ~http_fixture() { server->stop(std::chrono::milliseconds(1000)); }

  std::uint16_t port() const { return server->port(); }
  // One request on its own connection; the whole response.
  std::string exchange(const std::string& request) const;
  // The next plain request works.
  bool live() const;

  // Lines of the log with this text so far.
  std::size_t count_log(const std::string& text) const;

  mutable std::mutex mutex;
  std::vector<std::string> log;
  std::unique_ptr<http_server> server;  // outlives the gateway's threads
  test::fake_gateway gateway;
};

// Request texts. `body` empty: no body.
std::string get(const std::string& path, const std::string& headers = "");
std::string post(const std::string& path, const std::string& body, const std::string& headers = "");
// Status of a response text, 0 if it is none.
int status_of(const std::string& response);
// The body behind the head, chunks joined.
std::string body_of(const std::string& response);

}  // namespace neap::http
