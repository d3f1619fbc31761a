#include "actors/text_encoder.hpp"

#include "actors/crash_text.hpp"
#include "actors/watched_actor.hpp"

#include <exception>
#include <new>

namespace neap::actors {
namespace {

// An exception stays in the request that caused it: this actor serves all others too.
template <class T, class Work>
std::shared_ptr<const result<T>> guarded(Work work) {
  try {
    return std::make_shared<const result<T>>(work());
  } catch (const std::bad_alloc&) {
    return std::make_shared<const result<T>>(
        error{error_code::server_overloaded, "not enough memory to encode the prompt; try again later", ""});
  } catch (const std::exception& reason) {
    return std::make_shared<const result<T>>(
        error{error_code::internal, std::string{"the prompt could not be encoded: "} + reason.what(), ""});
  }
}

result<std::vector<request::encoded_prompt>> encode_all(text_encoder_state& state, const encode_job& job) {
  std::vector<request::encoded_prompt> out;
  for (const auto& source : job.request->prompts) {
    if (job.abandoned->load()) return error{error_code::cancelled, "nobody waits for this request", ""};
    ++state.prompts;
    auto encoded = state.encoder->encode(source);
    if (!encoded) return std::move(encoded).error();
    out.push_back(std::move(*encoded));
  }
  return out;
}

result<std::vector<token_id>> encode_one(const text_encoder_state& state, const prompt& source) {
  // Here an empty text is no mistake: it has no tokens.
  if (const auto* text = std::get_if<text_prompt>(&source)) return state.encoder->tokens_of(*text);
  auto encoded = state.encoder->encode(source);
  if (!encoded) return std::move(encoded).error();
  return std::move(encoded->tokens);
}

}  // namespace

text_encoder_actor::behavior_type text_encoder(watched_self<text_encoder_actor, text_encoder_state> self,
                                               std::shared_ptr<const request::prompt_encoder> encoder) {
  keep_crash_text(self);
  self->state.encoder = std::move(encoder);
  return {
      [self](inspect_a) { return make_report(self, {field("prompts", self->state.prompts)}); },
      [self](encode_a, const encode_job_ptr& job) {
        return guarded<std::vector<request::encoded_prompt>>([&] { return encode_all(self->state, *job); });
      },
      [self](tokenize_a, const prompt_ptr& source) {
        return guarded<std::vector<token_id>>([&] { return encode_one(self->state, *source); });
      },
      [self](detok_a, const token_vector_ptr& tokens) {
        return guarded<std::string>([&] { return self->state.encoder->decode(*tokens); });
      },
  };
}

}  // namespace neap::actors
