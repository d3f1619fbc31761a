#include "server/api/embeddings.hpp"

#include "server/api/base64.hpp"
#include "server/api/json_reader.hpp"
#include "server/api/quote.hpp"
#include "server/api/request_fields.hpp"
#include "server/api/summary_writer.hpp"

#include <cmath>
#include <utility>

namespace neap::api {
namespace {

void read_format(field_reader& fields, embedding_options& out) {
  const auto* format = fields.string("encoding_format");
  if (format == nullptr || *format == "float") return;
  out.base64 = *format == "base64";
  if (!out.base64) fields.fail("encoding_format", quote(*format) + " is not one of: float, base64");
}

void read_embedding(field_reader& fields, const served_model& model, embedding_request& out) {
  auto& request = out.generation;
  request.model = model.name;
  request.embeds = true;
  request.max_tokens = 0;
  request.prompts = read_prompts(fields, "input", model.vocabulary_size);
  request.tag = read_routing(fields);
  request.deadline = read_deadline(fields);
  fields.string("user");
  read_format(fields, out.answer);
  const auto longest = model.embedding_length;
  out.answer.dimensions =
      static_cast<std::uint32_t>(fields.integer("dimensions", 1, longest).value_or(longest));
  out.answer.model = model.name;
  out.answer.ignored_fields = ignored_fields_of(fields);
}

// The first `count` values, scaled to length 1; all zero stays so.
std::vector<float> unit_vector(std::span<const float> values, std::size_t count) {
  std::vector<float> out(values.begin(),
                         values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
  double squares = 0;
  for (const float x : out) squares += static_cast<double>(x) * static_cast<double>(x);
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (float& x : out) x = static_cast<float>(x * scale);
  return out;
}

void write_vector(json_writer& out, const std::vector<float>& values, bool base64) {
  if (base64) {
    out.string(base64_of(values));
    return;
  }
  out.begin_array();
  for (const float x : values) out.real(x);
  out.end_array();
}

}  // namespace

result<embedding_request> parse_embeddings(std::string_view body, const validation_context& context) {
  auto document = parse_json(body);
  if (!document) return std::move(document).error();
  if (document->object() == nullptr)
    return error{error_code::invalid_request, "the body must be a JSON object", {}};
  field_reader fields(*document);
  embedding_request out;
  if (const auto* model = read_model(fields, context.models)) read_embedding(fields, *model, out);
  if (fields.failed()) return *fields.fault();
  return out;
}

std::string embeddings_body(const embedding_options& options, std::span<const std::vector<float>> vectors,
                            const stream_summary& summary) {
  json_writer out;
  out.begin_object().field("object", "list").field("model", options.model).key("data").begin_array();
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    out.begin_object().field("object", "embedding").field("index", i).key("embedding");
    write_vector(out, unit_vector(vectors[i], options.dimensions), options.base64);
    out.end_object();
  }
  out.end_array().key("usage").begin_object().field("prompt_tokens", summary.usage.prompt_tokens);
  out.field("total_tokens", summary.usage.prompt_tokens).end_object();
  write_summary(out, summary, options.ignored_fields);
  return out.end_object().take();
}

}  // namespace neap::api
