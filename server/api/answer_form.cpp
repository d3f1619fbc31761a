#include "server/api/answer_form.hpp"

#include "server/api/answer_writer.hpp"
#include "server/api/response_writer.hpp"

namespace neap::api {

answer_form_ptr make_answer_form(answer_options options, request_id id, const std::string& model,
                                 std::int64_t created) {
  if (options.endpoint == endpoint::responses)
    return std::make_unique<response_writer>(std::move(options), id, model, created);
  return std::make_unique<answer_writer>(std::move(options), id, model, created);
}

}  // namespace neap::api
