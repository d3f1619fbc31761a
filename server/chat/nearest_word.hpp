#pragma once
// Finds the word that was meant.

#include <string>
#include <vector>

namespace neap::chat {

// The word of the list with the fewest insertions, deletions, replacements and swaps of neighbours; empty if
// none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

// " (did you mean X?)", or nothing if no word is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace neap::chat
