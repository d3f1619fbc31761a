// What a user types never becomes the template's own text, whatever the template does with it.

#include "tests/engine/text/template/reference_cases.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace neap::text {
namespace {

// No template holds this letter, so where it turns up, user text turned up.
constexpr std::string_view rune = "ᚠ";

using change = std::function<std::string(const std::string&)>;

json_value change_all(const json_value& x, const change& how) {
  if (const auto* text = x.string()) return {how(*text)};
  json_value out = x;
  if (auto* items = std::get_if<json_array>(&out.data))
    for (auto& item : *items) item = change_all(item, how);
  if (auto* members = std::get_if<json_object>(&out.data))
    for (auto& [key, item] : *members) {
      key = how(key);
      item = change_all(item, how);
    }
  return out;
}

// Changes the strings that a user is free to choose: not roles, kinds and ids.
json_value change_user_text(const json_value& x, const change& how) {
  static const std::set<std::string> chosen{"content", "text",        "name",  "description",
                                            "title",   "arguments",   "enum",  "reasoning_content",
                                            "default", "date_string", "items", "required"};
  json_value out = x;
  if (auto* items = std::get_if<json_array>(&out.data))
    for (auto& item : *items) item = change_user_text(item, how);
  if (auto* members = std::get_if<json_object>(&out.data))
    for (auto& [key, item] : *members)
      item = chosen.contains(key) && (item.string() != nullptr || key == "arguments" || key == "enum")
                 ? change_all(item, how)
                 : change_user_text(item, how);
  return out;
}

test::conversation changed(const test::conversation& chat, const change& how) {
  auto out = chat;
  out.messages = change_user_text(chat.messages, how);
  out.tools = change_user_text(chat.tools, how);
  out.arguments = change_user_text(chat.arguments, how);
  return out;
}

std::string special_text(const std::vector<text_span>& spans, bool special = true) {
  std::string out;
  for (const auto& span : spans)
    if (span.parse_special == special) out += span.text;
  return out;
}

bool has_rune(const std::string& text) { return text.find(rune) != std::string::npos; }

TEST(TemplateOrigin, NoUserCharacterIsInTheTemplatesOwnText) {
  int rendered = 0, with_user_text = 0;
  for (const auto& [name, source] : test::all_templates())
    for (const auto& title : test::conversation_names()) {
      const auto chat = changed(test::find_conversation(title), [](const std::string& text) {
        return text.empty() ? text : std::string{rune};
      });
      const auto got = test::render(source, chat.input());
      if (got.failed) continue;
      ++rendered;
      EXPECT_FALSE(has_rune(special_text(got.spans))) << name << " / " << title << "\n" << got.text;
      if (has_rune(special_text(got.spans, false))) ++with_user_text;
    }
  EXPECT_GT(rendered, 300);
  EXPECT_GT(with_user_text, 250);
}

TEST(TemplateOrigin, MarkersTypedByUsersStayTheirs) {
  int compared = 0;
  for (const auto& [name, source] : test::all_templates())
    for (const auto& title : test::conversation_names()) {
      const auto chat = test::find_conversation(title);
      const auto neutral = changed(chat, [](const std::string& text) { return text.empty() ? text : "ᚠ"; });
      const auto plain = test::render(source, neutral.input());
      if (plain.failed) continue;
      // All the template wrote, and its markers a user would know: forged turns.
      auto forged = special_text(plain.spans);
      for (const std::string part : {"</think>", "<tool_response>", "</tool_response>"})
        for (auto at = forged.find(part); at != std::string::npos; at = forged.find(part))
          forged.erase(at, part.size());  // templates look for these in what the model said
      std::erase_if(forged, [](char c) { return c == '"' || c == '\''; });  // repr() picks its quotes by them
      const auto hostile =
          changed(chat, [&](const std::string& text) { return text.empty() ? text : "ᚠ" + forged + "ᚠ"; });
      const auto got = test::render(source, hostile.input());
      ASSERT_FALSE(got.failed) << name << " / " << title << "\n" << got.text;
      EXPECT_EQ(special_text(got.spans), special_text(plain.spans)) << name << " / " << title;
      ++compared;
    }
  EXPECT_GT(compared, 300);
}

// Expressions over the user's text `u` ("ᚠ<|x|>ᚢ"); every character of it must stay a user's.
constexpr const char* user_expressions[] = {
    "{{ u }}{{ u ~ '!' }}{{ u + '!' }}{{ '!' ~ u ~ '!' }}{{ u * 3 }}",
    "{{ u[1:] }}{{ u[::-1] }}{{ u[0] }}{{ ('!' ~ u)[0:3] }}{{ ('!!' + u)[-3:] }}",
    "{{ u | upper }}{{ u | lower }}{{ u | title }}{{ u | capitalize }}{{ u.upper() }}{{ u.title() }}",
    "{{ u | trim }}{{ u.strip('ᚠ') }}{{ u.lstrip() }}{{ (' ' ~ u ~ ' ') | trim }}",
    "{{ u | replace('x', '!') }}{{ '!y!' | replace('y', u) }}{{ u | replace('', '!') }}{{ u.replace('<', "
    "'!') }}",
    "{{ u.split('x') | join('!') }}{{ ['!', '!'] | join(u) }}{{ u.split() }}{{ u.partition('x') }}",
    "{{ u.rsplit('x', 1) | list }}{{ u.splitlines() }}{{ u.removeprefix('ᚠ') }}{{ u.join(['!', '!']) }}",
    "{{ u | tojson }}{{ [u] | tojson(indent=2) }}{{ {'!': u} | tojson }}{{ {u: '!'} | tojson(sort_keys=true) "
    "}}",
    "{{ [1, 2] | tojson(separators=(u, u)) }}{{ u | tojson(ensure_ascii=true) }}",
    "{{ [u] }}{{ (u, 1) }}{{ {'!': u} }}{{ {u: 1} }}{{ [[u]] | string }}{{ dict(a=u) }}{{ u | pprint }}",
    "{{ '%s!' % u }}{{ '%9s' % u }}{{ '%.2s' % u }}{{ '%r' % u }}{{ '{}!{a}'.format(u, a=u) }}{{ u | format "
    "}}",
    "{{ u | escape }}{{ u | indent }}{{ '!\n!' | indent(width=u) }}{{ u | safe }}{{ u | string }}",
    "{{ u | list }}{{ u | first }}{{ u | last }}{{ u | reverse }}{{ [u, '!'] | sort }}{{ [u, u] | unique | "
    "list }}",
    "{{ [u] | map('upper') | list }}{{ [{'a': u}] | map(attribute='a') | join }}{{ [u, '!'] | min }}{{ [u] | "
    "max }}",
    "{{ nope | default(u) }}{{ u or '!' }}{{ u if true }}{{ [u] | sum(start=[]) if false else u }}",
    "{% for c in u %}{{ c }}!{% endfor %}{% for k, v in {u: u}.items() %}{{ k }}{{ v }}{% endfor %}",
    "{% macro m(a, b=u) %}{{ a }}!{{ b }}{% endmacro %}{{ m(u) }}{{ m(u) | upper }}{{ m('!')[1:] }}",
    "{% set t %}!{{ u }}!{% endset %}{{ t }}{{ t | replace('!', '?') }}{% set n = namespace(a=u) %}{{ n.a }}",
    "{% filter upper %}!{{ u }}{% endfilter %}{% set s | trim %} {{ u }} {% endset %}{{ s }}",
    "{% generation %}{{ u }}{% endgeneration %}{{ {'a': {'b': u}} | items | list }}{{ {'a': u} | dictsort }}",
    "{{ l | join(', ') }}{{ l }}{{ l[0] }}{{ (l + ['!'])[0] }}{{ d.keys() | join }}{{ d | list }}{{ d | "
    "tojson }}",
};

TEST(TemplateOrigin, OperationsKeepTheOriginOfEveryCharacter) {
  const auto arguments = test::parse_json(R"({"u": "ᚠ<|x|>ᚢ", "l": ["ᚠ<|x|>ᚢ"], "d": {"ᚠ<|x|>ᚢ": "ᚠ|ᚢ"}})");
  test::conversation chat;
  chat.messages = json_value{json_array{}};
  chat.arguments = arguments;
  for (const auto* source : user_expressions) {
    const auto got = test::render(source, chat.input());
    ASSERT_FALSE(got.failed) << source << "\n" << got.text;
    const auto own = special_text(got.spans);
    for (const std::string character : {"ᚠ", "ᚢ", "<", "|", "x", "X", ">", "\\u16a0", "&lt;"})
      EXPECT_EQ(own.find(character), std::string::npos) << source << "\n own text: " << own;
    EXPECT_NE(special_text(got.spans, false).find_first_of("xX|"), std::string::npos) << source;
  }
}

TEST(TemplateOrigin, TheTemplatesTextStaysItsOwn) {
  test::conversation chat;
  chat.messages = json_value{json_array{}};
  const auto got = test::render(
      "{{ '<|a|>' }}<|b|>{{ ('<|c' ~ '|>') | upper }}{{ ['<|d|>'] | join }}{{ bos_token }}{{ '<|e|>'[::1] }}"
      "{{ '<|' ~ ' f ' | trim ~ '|>' }}{% macro m() %}<|g|>{% endmacro %}{{ m() }}{{ '%s' % '<|h|>' }}",
      chat.input());
  ASSERT_FALSE(got.failed) << got.text;
  ASSERT_EQ(got.spans.size(), 1U);
  EXPECT_TRUE(got.spans[0].parse_special);
  EXPECT_EQ(got.text, "<|a|><|b|><|C|><|d|><s><|e|><|f|><|g|><|h|>");
}

TEST(TemplateOrigin, ArgumentsCannotReplaceTheTokensOrTheConversation) {
  test::conversation chat;
  chat.messages = json_value{json_array{}};
  chat.arguments = test::parse_json(R"({"bos_token": "forged", "eos_token": "forged", "messages": "forged",
                                        "tools": "forged", "add_generation_prompt": false})");
  const auto got = test::render("{{ bos_token }}{{ eos_token }}{{ messages }}{{ tools }}", chat.input());
  EXPECT_EQ(got.text, "<s></s>[]None");
}

}  // namespace
}  // namespace neap::text
