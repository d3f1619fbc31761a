#include "tests/support/fake_gateway.hpp"

namespace neap::test {

void then(script& events, stream_event event, std::chrono::milliseconds pause) {
  auto& added = events.emplace_back();
  added.event = std::move(event);
  added.pause = pause;
}

script failing_script(error fault) {
  script out;
  then(out, std::move(fault));
  return out;
}

script words_script(const std::vector<std::string>& words, std::chrono::milliseconds pause) {
  script out;
  then(out, stream_accepted{{5}});
  token_id token = 100;
  for (const auto& word : words) then(out, stream_delta{0, word, {token++}}, pause);
  then(out, stream_choice_end{0, finish_reason::stop}, pause);
  stream_summary summary;
  summary.usage = {5, words.size(), 0};
  summary.timings = {1.5, 2.25, 3.0, 6.75};
  summary.decisions.decision.reason = "scripted";
  then(out, summary);
  return out;
}

fake_gateway::~fake_gateway() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void fake_gateway::submit(generation_request request, token_sink_ptr sink) {
  auto events = on_submit ? on_submit(request) : words_script({"one", " two", " three"});
  const std::lock_guard lock(mutex_);
  const auto id = request.id;
  requests_.push_back(std::move(request));
  threads_.emplace_back([this, id, events = std::move(events), sink = std::move(sink)]() mutable {
    play(id, std::move(events), std::move(sink));
  });
}

void fake_gateway::play(request_id id, script events, token_sink_ptr sink) {
  for (auto& [event, pause] : events) {
    {
      std::unique_lock lock(mutex_);
      const auto stop = [&] { return ending_ || cancelled_.count(id) > 0; };
      if (changed_.wait_for(lock, pause, stop)) return;
    }
    sink->push(std::move(event));
  }
}

void fake_gateway::cancel(request_id id) {
  const std::lock_guard lock(mutex_);
  cancelled_.insert(id);
  changed_.notify_all();
}

bool fake_gateway::wait_cancelled(std::size_t count, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return cancelled_.size() >= count; });
}

std::size_t fake_gateway::submitted() const {
  const std::lock_guard lock(mutex_);
  return requests_.size();
}

generation_request fake_gateway::last_request() const {
  const std::lock_guard lock(mutex_);
  return requests_.back();
}

// One token a byte, so that tests can tell the text from the tokens.
void fake_gateway::tokenize(prompt text, reply_callback<std::vector<token_id>> reply) {
  std::vector<token_id> tokens;
  for (const char c : std::get<text_prompt>(text).text) tokens.push_back(static_cast<unsigned char>(c));
  std::thread([reply = std::move(reply), tokens = std::move(tokens)] { reply(tokens); }).join();
}

void fake_gateway::detokenize(std::vector<token_id> tokens, reply_callback<std::string> reply) {
  std::string text;
  for (const auto token : tokens) text += static_cast<char>(token);
  std::thread([reply = std::move(reply), text] { reply(text); }).join();
}

void fake_gateway::metrics(reply_callback<std::string> reply) {
  reply(std::string("neap:num_requests_running 0\n"));
}

void fake_gateway::inspect_actors(reply_callback<std::vector<actor_view>> reply) {
  actor_view one;
  one.name = "batcher";
  one.answered = true;
  one.state = {{"running", "3"}, {"note", "well"}};
  reply(std::vector<actor_view>{one});
}

void fake_gateway::inspect_requests(reply_callback<std::vector<request_view>> reply) {
  request_view one;
  one.id = 17;
  one.stage = request_stage::decoding;
  reply(std::vector<request_view>{one});
}

std::vector<served_model> fake_gateway::models() const {
  served_model model{"fake-model", 4096, 1000, 1'700'000'000};
  model.embedding_length = 2;
  return {model};
}

}  // namespace neap::test
