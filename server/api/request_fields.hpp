#pragma once
// The groups of request fields, one function each. Faults are recorded in the reader. Private to server/api.

#include "server/api/api_request.hpp"
#include "server/api/field_reader.hpp"

#include <chrono>

namespace neap::api {

// `model` -> the served model; absent means the first one.
const served_model* read_model(field_reader& fields, const std::vector<served_model>& models);

// Temperature to seed, including logit_bias (ids checked against the vocabulary).
sampling_params read_sampling(field_reader& fields, std::uint32_t vocabulary, std::uint64_t random_seed);

// stop, stop_token_ids, ignore_eos.
stop_rules read_stop(field_reader& fields, std::uint32_t vocabulary);

// max_tokens and max_completion_tokens (one field under two names), from `lowest`, bounded to the context.
std::optional<std::uint32_t> read_max_tokens(field_reader& fields, std::uint32_t context_length,
                                             std::int64_t lowest);

// n and best_of: answers to each prompt.
std::uint32_t read_choices(field_reader& fields);

// echo, of completions only.
bool read_echo(field_reader& fields, endpoint where);
// logprobs and top_logprobs; true if log-probabilities are asked for. With `echo` those of the prompt too.
bool read_logprobs(field_reader& fields, endpoint where, bool echo, sampling_params& sampling);

// priority, service_tier, request_type, sensitivity.
routing_tag read_routing(field_reader& fields);

// deadline_ms.
std::optional<std::chrono::milliseconds> read_deadline(field_reader& fields);

// Names of fields that nobody read, bounded in number and length.
std::vector<std::string> ignored_fields_of(const field_reader& fields);

// stream, stream_options, return_token_ids.
void read_answer_options(field_reader& fields, answer_options& answer);

// Known fields that this build cannot honour: accepted only with values that ask for nothing.
void refuse_unsupported(field_reader& fields, endpoint where);

// A required field of prompts in its four forms.
std::vector<prompt> read_prompts(field_reader& fields, std::string_view name, std::uint32_t vocabulary);

// metadata: names and texts that the client keeps for itself; checked, without effect.
void read_metadata(field_reader& fields);

// The body of /v1/responses as one of a chat; `answer` gets what its answer repeats. Faults go to `fields`.
json_value to_chat_body(field_reader& fields, const json_value& body, answer_options& answer);

// messages, tools, chat_template_kwargs.
prompt read_chat(field_reader& fields);

// The text of `content`: a string, or an array of text parts joined. Null where it is absent or wrong.
std::optional<std::string> read_content(field_reader& fields);

}  // namespace neap::api
