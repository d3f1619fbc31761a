#include "engine/text/pre_tokenizer.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace neap::text {
namespace {

// Unicode's White_Space; PCRE2's \s would also take U+180E.
#define NEAP_BLANKS R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})"
#define NEAP_BLANK "[" NEAP_BLANKS "]"
// Blanks before a word leave the last one to it.
#define NEAP_BLANK_RUN NEAP_BLANK "+(?![^" NEAP_BLANKS "])|" NEAP_BLANK "+"

// GPT-2's word pattern (Radford et al. 2019).
constexpr const char* gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^)" NEAP_BLANKS R"(\p{L}\p{N}]+|)" NEAP_BLANK_RUN;

#define NEAP_WORDS R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)"
#define NEAP_SIGNS R"(| ?[^)" NEAP_BLANKS R"(\p{L}\p{N}]+[\r\n]*|)" NEAP_BLANK R"(*[\r\n]+|)" NEAP_BLANK_RUN
constexpr const char* llama3 = NEAP_WORDS R"(\p{N}{1,3})" NEAP_SIGNS;
constexpr const char* qwen2 = NEAP_WORDS R"(\p{N})" NEAP_SIGNS;

// Patterns are applied one after the other, each to the pieces that the one before left.
struct scheme {
  std::string_view name;
  std::array<const char*, 4> patterns;
  bool ignore_merges = false;
};

constexpr std::array schemes{
    scheme{"smollm", {R"(\p{N})", gpt2}},
    scheme{"gpt-2", {gpt2}},
    scheme{"llama-bpe", {llama3}, true},
    scheme{"qwen2", {qwen2}},
    scheme{"default", {R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", R"([0-9][0-9][0-9])"}},
};

struct code_free {
  void operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }
};
using code_ptr = std::unique_ptr<pcre2_code, code_free>;

struct match_data_free {
  void operator()(pcre2_match_data* data) const noexcept { pcre2_match_data_free(data); }
};
using match_data_ptr = std::unique_ptr<pcre2_match_data, match_data_free>;

code_ptr compile(const char* pattern) {
  int number = 0;
  std::size_t offset = 0;
  code_ptr code{pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                              PCRE2_UTF | PCRE2_UCP, &number, &offset, nullptr)};
  if (code) pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // without JIT the interpreter serves
  return code;
}

struct match_context_free {
  void operator()(pcre2_match_context* context) const noexcept { pcre2_match_context_free(context); }
};
using match_context_ptr = std::unique_ptr<pcre2_match_context, match_context_free>;

match_context_ptr make_context(const pattern_limits& limits) {
  match_context_ptr context{pcre2_match_context_create(nullptr)};
  if (!context) return context;
  pcre2_set_match_limit(context.get(), limits.steps);
  pcre2_set_depth_limit(context.get(), limits.depth);
  pcre2_set_heap_limit(context.get(), limits.heap_kib);
  return context;
}

// The next match of one pattern in one piece, by JIT; where that gives up (its stack is small), by the
// interpreter. The piece must be valid UTF-8. False: no match, or a limit was hit.
bool match(const pcre2_code* code, pcre2_match_context* context, pcre2_match_data* data,
           std::string_view piece, std::size_t from) {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(piece.data());
  int found = pcre2_match(code, subject, piece.size(), from, PCRE2_NO_UTF_CHECK, data, context);
  if (found < 0 && found != PCRE2_ERROR_NOMATCH)
    found = pcre2_match(code, subject, piece.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, context);
  return found > 0;
}

// Appends matches and the gaps between them.
void split_piece(const pcre2_code* code, pcre2_match_context* context, pcre2_match_data* data,
                 std::string_view piece, std::vector<std::string_view>& out) {
  std::size_t done = 0;
  // A limit leaves the rest as one word: still the same text, only cut differently. No pattern can match
  // emptily.
  while (done < piece.size() && match(code, context, data, piece, done)) {
    const std::size_t* ends = pcre2_get_ovector_pointer(data);
    if (ends[1] <= ends[0]) break;
    if (ends[0] > done) out.push_back(piece.substr(done, ends[0] - done));
    out.push_back(piece.substr(ends[0], ends[1] - ends[0]));
    done = ends[1];
  }
  if (done < piece.size()) out.push_back(piece.substr(done));
}

constexpr std::array<std::array<std::string_view, 2>, 5> other_names{{{"gpt2", "gpt-2"},
                                                                      {"llama3", "llama-bpe"},
                                                                      {"llama-v3", "llama-bpe"},
                                                                      {"deepseek-r1-qwen", "qwen2"},
                                                                      {"", "default"}}};

}  // namespace

struct pre_tokenizer::patterns {
  std::vector<code_ptr> codes;
  match_context_ptr context;
  bool ignore_merges = false;
};

pre_tokenizer::pre_tokenizer(std::unique_ptr<const patterns> compiled) : patterns_(std::move(compiled)) {}
pre_tokenizer::pre_tokenizer(pre_tokenizer&&) noexcept = default;
pre_tokenizer& pre_tokenizer::operator=(pre_tokenizer&&) noexcept = default;
pre_tokenizer::~pre_tokenizer() = default;

result<pre_tokenizer> pre_tokenizer::make(std::string_view name, const pattern_limits& limits) {
  auto known = name;
  for (const auto& [other, same] : other_names)
    if (name == other) known = same;
  const auto* found = std::find_if(schemes.begin(), schemes.end(),
                                   [&](const scheme& candidate) { return candidate.name == known; });
  if (found == schemes.end())
    return error{error_code::unsupported_model,
                 "pre-tokenizer " + quote(name, 40) +
                     " is not supported (smollm, gpt-2, llama-bpe, qwen2 and default are)",
                 ""};
  auto compiled = std::make_unique<patterns>();
  compiled->context = make_context(limits);
  compiled->ignore_merges = found->ignore_merges;
  bool complete = compiled->context != nullptr;
  for (const auto* pattern : found->patterns)
    if (pattern != nullptr) complete = compiled->codes.emplace_back(compile(pattern)) && complete;
  if (!complete) return error{error_code::internal, "a pre-tokenizer pattern does not compile", ""};
  return pre_tokenizer{std::move(compiled)};
}

void pre_tokenizer::split(std::string_view text, std::vector<std::string_view>& words) const {
  std::vector<std::string_view> pieces{text};
  std::vector<std::string_view> next;
  for (const auto& code : patterns_->codes) {
    const match_data_ptr data{pcre2_match_data_create_from_pattern(code.get(), nullptr)};
    if (!data) break;  // no memory for two offsets: longer words, same text
    next.clear();
    for (const auto piece : pieces)
      split_piece(code.get(), patterns_->context.get(), data.get(), piece, next);
    pieces.swap(next);
  }
  words.insert(words.end(), pieces.begin(), pieces.end());
}

bool pre_tokenizer::ignore_merges() const noexcept { return patterns_->ignore_merges; }

}  // namespace neap::text
