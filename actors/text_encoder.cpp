#include "actors/text_encoder.hpp"

#include "actors/encoded_request.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace neap::actors {
namespace {

encoded_request_ptr encode_all(text_encoder_state& state, const generation_request& request) {
  std::vector<request::encoded_prompt> out;
  for (const auto& source : request.prompts) {
    ++state.prompts;
    auto encoded = state.encoder->encode(source);
    if (!encoded) return std::make_shared<const encoded_request>(encoded_request{std::move(encoded).error()});
    out.push_back(std::move(*encoded));
  }
  return std::make_shared<const encoded_request>(encoded_request{std::move(out)});
}

tokens_result_ptr encode_one(const text_encoder_state& state, const prompt& source) {
  // Here an empty text is no mistake: it has no tokens.
  if (const auto* text = std::get_if<text_prompt>(&source))
    return std::make_shared<const result<std::vector<token_id>>>(
        state.encoder->vocabulary().encode(text->text, text->parse_special, text->add_special_tokens));
  auto encoded = state.encoder->encode(source);
  if (!encoded) return std::make_shared<const result<std::vector<token_id>>>(std::move(encoded).error());
  return std::make_shared<const result<std::vector<token_id>>>(std::move(encoded->tokens));
}

}  // namespace

text_encoder_actor::behavior_type text_encoder(text_encoder_actor::stateful_pointer<text_encoder_state> self,
                                               std::shared_ptr<const request::prompt_encoder> encoder) {
  self->state.encoder = std::move(encoder);
  return {
      [self](inspect_a) { return make_report(self, {field("prompts", self->state.prompts)}); },
      [self](encode_a, const generation_request_ptr& request) { return encode_all(self->state, *request); },
      [self](tokenize_a, const prompt_ptr& source) { return encode_one(self->state, *source); },
      [self](detok_a, const token_vector_ptr& tokens) -> text_result_ptr {
        return std::make_shared<const result<std::string>>(self->state.encoder->decode(*tokens));
      },
  };
}

}  // namespace neap::actors
