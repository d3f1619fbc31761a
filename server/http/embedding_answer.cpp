#include "server/http/embedding_answer.hpp"

#include "server/http/sse_output.hpp"

#include <chrono>
#include <utility>

namespace neap::http {

void start_embedding(service& context, const exchange_ptr& x, api::embedding_request request) {
  auto& generation = request.generation;
  generation.id = x->id();
  generation.arrival = std::chrono::steady_clock::now();
  auto sink = std::make_shared<embedding_answer>(
      make_sse_output(x), std::move(request.answer), generation.choices(),
      [&gateway = context.gateway, id = generation.id] { gateway.cancel(id); });
  sink->attach();
  context.gateway.submit(std::move(generation), std::move(sink));
}

embedding_answer::embedding_answer(stream_output_ptr output, api::embedding_options options,
                                   std::size_t inputs, std::function<void()> cancel)
    : output_(std::move(output)),
      options_(std::move(options)),
      vectors_(inputs),
      cancel_(std::move(cancel)) {}

void embedding_answer::attach() {
  output_->on_gone([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !std::exchange(self->done_, true)) self->cancel_();
  });
}

void embedding_answer::push(stream_event event) {
  output_->post([self = shared_from_this(), event = std::move(event)]() mutable { self->on_event(event); });
}

// What the engine calls the prompt is `input` here.
void embedding_answer::on_event(stream_event& event) {
  if (done_) return;
  if (auto* vector = std::get_if<stream_embedding>(&event)) {
    if (vector->choice < vectors_.size()) vectors_[vector->choice] = std::move(vector->values);
  } else if (auto* fault = std::get_if<error>(&event)) {
    done_ = true;
    if (fault->param == "prompt") fault->param = "input";
    output_->fail(*fault);
  } else if (const auto* summary = std::get_if<stream_summary>(&event)) {
    done_ = true;
    output_->whole(api::embeddings_body(options_, vectors_, *summary));
  }
}

}  // namespace neap::http
