#include "engine/text/detokenizer.hpp"

#include "engine/text/utf8.hpp"

#include <utility>

namespace neap::text {

std::string detokenizer::push(std::string_view bytes) {
  held_ += bytes;
  std::string out;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const auto step = decode_step(rest);
    if (step.cut) break;
    out += step.valid ? rest.substr(0, step.length) : replacement_character;
    rest.remove_prefix(step.length);
  }
  held_.erase(0, held_.size() - rest.size());
  return out;
}

std::string detokenizer::finish() { return replace_invalid_utf8(std::exchange(held_, {})); }

}  // namespace neap::text
