#include "tests/support/reference_data.hpp"

#include <boost/json.hpp>

#include <fstream>
#include <sstream>

namespace neap::test {
namespace {

namespace json = boost::json;

json::value read(const std::string& name) {
  std::ifstream file(std::string(NEAP_SOURCE_DIR) + "/tests/reference/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

reference_prompt to_prompt(const json::value& from) {
  reference_prompt to;
  to.prompt = json::value_to<std::vector<token_id>>(from.at("prompt_ids"));
  for (const auto& each : from.at("top20").as_array())
    to.top.emplace_back(each.at(0).to_number<token_id>(), each.at(1).to_number<float>());
  to.greedy = json::value_to<std::vector<token_id>>(from.at("greedy_ids"));
  for (const auto& each : from.at("greedy_margin").as_array()) to.margin.push_back(each.to_number<float>());
  return to;
}

reference_loss to_loss(const json::value& from) {
  return {json::value_to<std::vector<token_id>>(from.at("ids")), from.at("mean_nll").to_number<double>()};
}

void append(const json::object& from, const char* key, std::vector<reference_prompt>& to) {
  if (const auto* list = from.if_contains(key))
    for (const auto& each : list->as_array()) to.push_back(to_prompt(each));
}

}  // namespace

reference_data load_reference(const std::string& model) {
  reference_data data;
  const auto logits = read("logits-" + model + ".json");
  const auto longer = read("long-" + model + ".json");
  append(logits.as_object(), "completions", data.prompts);
  append(logits.as_object(), "chats", data.prompts);
  append(longer.as_object(), "long", data.long_prompts);
  data.loss = to_loss(logits.at("perplexity"));
  data.long_loss = to_loss(longer.at("perplexity_long"));
  return data;
}

std::string model_path(const std::string& model) {
  const std::string file =
      model == "smollm2" ? "SmolLM2-135M-Instruct.Q4_1.gguf" : "gemma-3-270m-q4_k_m.gguf";
  return std::string(NEAP_MODELS_DIR) + "/" + file;
}

}  // namespace neap::test
