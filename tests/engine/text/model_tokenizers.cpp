#include "tests/engine/text/model_tokenizers.hpp"

#include "engine/model/gguf_file.hpp"

#include <boost/json.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace neap::test {
namespace {

namespace json = boost::json;

json::value read(const std::string& name) {
  std::ifstream file(std::string(NEAP_SOURCE_DIR) + "/tests/reference/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

std::unique_ptr<text::tokenizer> load(const std::string& model) {
  const auto file = model::gguf_file::open(model_path(model));
  if (!file) throw std::runtime_error(file.error().message);
  auto loaded = text::load_tokenizer(*file);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);  // the file is closed here: the tokenizer must not need it
}

std::vector<reference_text> pairs(const json::value& list, const char* text, const char* ids) {
  std::vector<reference_text> out;
  for (const auto& each : list.as_array())
    out.emplace_back(each.at(text).as_string(), json::value_to<std::vector<token_id>>(each.at(ids)));
  return out;
}

}  // namespace

std::string model_path(const std::string& model) {
  const std::string file =
      model == "smollm2" ? "SmolLM2-135M-Instruct.Q4_1.gguf" : "gemma-3-270m-q4_k_m.gguf";
  return std::string(NEAP_MODELS_DIR) + "/" + file;
}

const text::tokenizer& model_tokenizer(const std::string& model) {
  static std::map<std::string, std::unique_ptr<text::tokenizer>> loaded;
  auto& place = loaded[model];
  if (!place) place = load(model);
  return *place;
}

std::vector<reference_text> reference_texts(const std::string& model, const std::string& key) {
  return pairs(read("tokens-" + model + ".json").at(key), "text", key.c_str());
}

std::vector<reference_text> reference_chats(const std::string& model) {
  return pairs(read("logits-" + model + ".json").at("chats"), "rendered", "prompt_ids");
}

}  // namespace neap::test
