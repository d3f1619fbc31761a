#include "server/cli/model_choice.hpp"

#include <cstdlib>
#include <filesystem>

namespace neap::cli {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// "/tmp" or "./x" of something that is there: a question would hardly look like that.
bool is_path(const std::string& word) {
  std::error_code ignored;
  const bool written = word.starts_with("/") || word.starts_with("./") || word.starts_with("../");
  return is_file(word) || (written && std::filesystem::exists(word, ignored));
}

}  // namespace

run_words split_words(const std::vector<std::string>& words, bool remote) {
  run_words out;
  std::size_t first = 0;
  if (!remote && !words.empty() && (words[0].ends_with(".gguf") || is_path(words[0])))
    out.model = words[first++];
  for (std::size_t i = first; i < words.size(); ++i) out.prompt += (i > first ? " " : "") + words[i];
  return out;
}

result<std::string> default_model() {
  const char* named = std::getenv("MODEL");
  if (named != nullptr && *named != '\0') return std::string(named);
  const std::filesystem::path usual = "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (is_file(usual)) return usual.string();
  std::error_code failure;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", failure);
  // <repository>/build/release/bin/neap
  const auto built = binary.parent_path().parent_path().parent_path().parent_path() / usual;
  if (!failure && is_file(built)) return built.string();
  return error{error_code::invalid_configuration,
               "no model given and " + usual.string() +
                   " is not there; name a GGUF file, e.g. neap run model.gguf, or run scripts/setup",
               {}};
}

}  // namespace neap::cli
