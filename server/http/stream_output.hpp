#pragma once
// Where the answer of one generation goes: JSON in, framed by whoever carries it. Everything except post()
// belongs to the io thread.

#include "messages/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace neap::http {

class stream_output {
 public:
  virtual ~stream_output() = default;

  // Any thread: runs the task on the io thread, unless the server stopped meanwhile.
  virtual void post(std::function<void()> task) const = 0;

  // The whole answer as one JSON object.
  virtual void whole(std::string json) = 0;

  // One event of a stream, a JSON object. Nothing is sent before the first.
  virtual void event(std::string_view json) = 0;
  // One that carries text of so many tokens, for outputs that count them.
  virtual void delta(std::string_view json, std::size_t tokens) {
    static_cast<void>(tokens);
    event(json);
  }
  // The caller holds so many bytes of text back until buffered() falls; may end in a call of on_gone.
  virtual void holds(std::size_t bytes) { static_cast<void>(bytes); }
  // The stream's proper end.
  virtual void finish() = 0;

  // Ends with the error: with its status if nothing was sent, else as the stream's last event.
  virtual void fail(const error& fault) = 0;
  // Gives up on a client that does not read: it sees a failure and no proper end.
  virtual void abort() = 0;

  // Bytes that the client has not taken yet.
  virtual std::size_t buffered() const = 0;

  // Called once when the client leaves before the end. / Called when buffered() fell to 0.
  virtual void on_gone(std::function<void()> callback) = 0;
  virtual void on_drained(std::function<void()> callback) = 0;
};

using stream_output_ptr = std::shared_ptr<stream_output>;

}  // namespace neap::http
