#pragma once
// Which tokens end a generation.

#include "engine/text/tokenizer_data.hpp"

#include <initializer_list>
#include <optional>
#include <vector>

namespace neap::text {

// Sorted: the `named` tokens (eos, end of turn, end of message), and control tokens whose text is a
// published end marker ("<|im_end|>", "<end_of_turn>", "<|endoftext|>", ...), except the one that the file
// also names as its unknown token: there the marker has another use (smollm2's "<|endoftext|>", so that its
// ends are just <|im_end|>).
std::vector<token_id> end_of_generation(const tokenizer_data& data,
                                        std::initializer_list<std::optional<token_id>> named);

}  // namespace neap::text
