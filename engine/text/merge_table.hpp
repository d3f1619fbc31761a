#pragma once
// The merge rules of a byte-level BPE vocabulary: a pair of tokens -> rank and product. Flat hash table.

#include "messages/ids.hpp"

#include <cstdint>
#include <vector>

namespace neap::text {

struct merge_rule {
  std::uint32_t rank = 0;  // lower merges first
  token_id product = -1;   // -1: the two do not merge
};

class merge_table {
 public:
  // Room for that many rules; more must not be added.
  explicit merge_table(std::size_t rules);

  // The first rule of a pair wins.
  void add(token_id left, token_id right, merge_rule rule) noexcept;

  // Any ids, also negative ones, which never merge.
  merge_rule find(token_id left, token_id right) const noexcept;

 private:
  struct slot {
    token_id left = -1;
    token_id right = -1;
    merge_rule rule;
  };
  std::size_t slot_of(token_id left, token_id right) const noexcept;

  std::vector<slot> slots_;  // open addressing, linear probing; size a power of two, half of it free
  unsigned shift_ = 0;
};

}  // namespace neap::text
