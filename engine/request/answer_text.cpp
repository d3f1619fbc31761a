#include "engine/request/answer_text.hpp"

#include <utility>

namespace neap::request {

scored_token describe(const token_logprobs& scores, const text::tokenizer& vocabulary) {
  const auto named = [&](const token_logprob& x) {
    return scored_text{std::string{vocabulary.token_bytes(x.token, true)}, x.logprob};
  };
  scored_token out{named(scores.chosen), {}};
  for (const auto& each : scores.top) out.top.push_back(named(each));
  return out;
}

answer_text::output answer_text::push(token_id token, const std::optional<token_logprobs>& scores) {
  const auto begin = text_.end();
  auto out = text_.push(token);
  if (scores) {
    held_score held{describe(*scores, *vocabulary_), begin.bytes, text_.end().bytes};
    held.score.text_offset = prefix_.characters + begin.characters;
    if (text_.inside_character()) ++held.due;  // with the character it is a part of
    held_.push_back(std::move(held));
  }
  return release(std::move(out));
}

answer_text::output answer_text::finish() {
  auto out = release(text_.finish());
  if (out.matched) return out;
  for (auto& each : held_) out.scores.push_back(std::move(each.score));
  held_.clear();
  return out;
}

// A token cut by a stop string is told of if any of its text is sent.
answer_text::output answer_text::release(text::stop_matcher::output from) {
  sent_ += from.text.size();
  output out{std::move(from.text), {}, from.matched};
  const auto ready = [&](const held_score& x) { return x.due <= sent_ || (from.matched && x.begin < sent_); };
  while (!held_.empty() && ready(held_.front())) {
    out.scores.push_back(std::move(held_.front().score));
    held_.pop_front();
  }
  if (from.matched) held_.clear();
  return out;
}

}  // namespace neap::request
