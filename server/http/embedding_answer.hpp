#pragma once
// Collects the vectors of one embedding request and answers them together.

#include "messages/stream_event.hpp"
#include "server/api/embeddings.hpp"
#include "server/http/exchange.hpp"
#include "server/http/service.hpp"
#include "server/http/stream_output.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace neap::http {

// Submits the request; its answer, or its error, goes to the exchange. A client that leaves cancels it.
void start_embedding(service& context, const exchange_ptr& x, api::embedding_request request);

class embedding_answer : public token_sink, public std::enable_shared_from_this<embedding_answer> {
 public:
  // `cancel` is called at most once, on the io thread, when the answer is no longer wanted.
  embedding_answer(stream_output_ptr output, api::embedding_options options, std::size_t inputs,
                   std::function<void()> cancel);

  // Connects to the output; once, before events come.
  void attach();
  // An actor's thread.
  void push(stream_event event) override;

 private:
  void on_event(stream_event& event);

  stream_output_ptr output_;
  api::embedding_options options_;
  std::vector<std::vector<float>> vectors_;
  std::function<void()> cancel_;
  bool done_ = false;
};

}  // namespace neap::http
