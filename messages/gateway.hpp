#pragma once
// The seam between the network edge (no CAF) and the actors (no Beast). Implemented in actors/, called from
// any thread; no call blocks. Callbacks run on an actor's thread and must not block.

#include "messages/generation_request.hpp"
#include "messages/node_views.hpp"
#include "messages/prompt.hpp"
#include "messages/result.hpp"
#include "messages/stream_event.hpp"

#include <functional>
#include <string>
#include <vector>

namespace neap {

struct served_model {
  std::string name;                  // file name without extension, or --served-model-name
  std::uint32_t context_length = 0;  // of this server (--max-model-len)
  std::uint32_t vocabulary_size = 0;
  std::int64_t created = 0;            // unix seconds
  bool uses_tools = false;             // its chat template reads `tools`
  std::string tool_calls;              // how it writes them: "hermes", ...; "none" or empty if it does not
  std::string fingerprint;             // changes with the file, its settings and the program
  std::uint32_t embedding_length = 0;  // of what /v1/embeddings answers
};

enum class readiness : std::uint8_t {
  loading,
  ready,
  restarting,  // an actor crashed and is started again; requests wait
  draining,
  failed,
};

template <class T>
using reply_callback = std::function<void(result<T>)>;

class gateway {
 public:
  virtual ~gateway() = default;

  // A new id for a request; unique for the life of the process.
  virtual request_id next_request_id() = 0;

  // Takes the request (its id comes from next_request_id) and answers through the sink, exactly one end
  // event. A full queue or a drain answers with an error event at once.
  virtual void submit(generation_request request, token_sink_ptr sink) = 0;

  // The client is gone or asked to stop. Unknown and finished ids are ignored.
  virtual void cancel(request_id id) = 0;

  virtual void tokenize(prompt text, reply_callback<std::vector<token_id>> reply) = 0;
  virtual void detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) = 0;

  // Prometheus text exposition of all metrics.
  virtual void metrics(reply_callback<std::string> reply) = 0;

  // What every actor says about itself, or its card where one hangs; answers within a second.
  virtual void inspect_actors(reply_callback<std::vector<actor_view>> reply) = 0;
  // All live requests, oldest first.
  virtual void inspect_requests(reply_callback<std::vector<request_view>> reply) = 0;

  virtual std::vector<served_model> models() const = 0;
  virtual readiness ready() const = 0;
};

}  // namespace neap
