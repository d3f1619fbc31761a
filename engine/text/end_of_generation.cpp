#include "engine/text/end_of_generation.hpp"

#include <algorithm>
#include <array>

namespace neap::text {
namespace {

// Ends of turn, message and document in published chat formats.
bool is_end_marker(std::string_view text) {
  constexpr std::array<std::string_view, 12> markers{
      "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|end|>",         "<|eot|>",
      "<EOT>",      "<|return|>", "<|EOT|>",    "<|endoftext|>", "<|end_of_text|>", "<|END_OF_TURN_TOKEN|>"};
  return std::find(markers.begin(), markers.end(), text) != markers.end();
}

}  // namespace

std::vector<token_id> end_of_generation(const tokenizer_data& data,
                                        std::initializer_list<std::optional<token_id>> named) {
  std::vector<token_id> ends;
  for (const auto& token : named)
    if (token) ends.push_back(*token);
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    const auto token = static_cast<token_id>(i);
    if (data.types[i] == token_type::control && token != data.unknown && is_end_marker(data.tokens[i]))
      ends.push_back(token);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace neap::text
