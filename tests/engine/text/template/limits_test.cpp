// Hostile and broken templates end quickly, with one clean line, whatever they try.

#include "engine/text/utf8.hpp"
#include "tests/engine/text/template/reference_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

namespace neap::text {
namespace {

using testing::HasSubstr;

// Sanitizers slow everything down; without them a hostile template gets 2 seconds.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double patience_seconds = 30;
#else
constexpr double patience_seconds = 2;
#endif

std::string repeated(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

test::outcome render_small(const std::string& source) {
  test::conversation chat;
  chat.messages = test::parse_json(R"([{"role": "user", "content": "Hello"}])");
  return test::render(source, chat.input());
}

// Everything an error must be.
void expect_clean(const test::outcome& got, const std::string& about) {
  EXPECT_TRUE(is_valid_utf8(got.text)) << about;
  if (!got.failed) return;
  EXPECT_EQ(got.text.find('\n'), std::string::npos) << about << "\n  " << got.text;
  EXPECT_LE(got.text.size(), 260U) << about;
  EXPECT_THAT(got.text, HasSubstr("(line ")) << about;
  EXPECT_TRUE(got.code == error_code::template_refused || got.code == error_code::invalid_model_file)
      << about;
}

void expect_refused_quickly(const std::string& source) {
  const auto start = std::chrono::steady_clock::now();
  const auto got = render_small(source);
  const auto taken = std::chrono::steady_clock::now() - start;
  const auto about = source.substr(0, 150);
  EXPECT_TRUE(got.failed) << about;
  expect_clean(got, about);
  EXPECT_LT(std::chrono::duration<double>(taken).count(), patience_seconds) << about << "\n  " << got.text;
}

TEST(TemplateLimits, DeepNestingIsRefused) {
  for (const int levels : {300, 10'000, 100'000}) {
    for (const auto* part : {"(", "[", "{", "{'a':", "-", "+", "not ", "f(", "a[", "a if b else ", "1 + (",
                             "a|f(", "a is b(", "~", "2**", "a and not "})
      expect_refused_quickly("{{ " + repeated(part, levels));
    for (const auto* part : {".a", "()", "[0]", "|f", " + 1", " ~ 1", " * 1", " ** 1", " or a", " and a",
                             " if a", " is b", "[:]", " == 1"})
      expect_refused_quickly("{{ a" + repeated(part, levels) + " }}{% broken %}");
    for (const auto* part : {"{% if a %}", "{% for a in b %}", "{% set a %}", "{% filter upper %}",
                             "{% macro a() %}", "{% generation %}", "{% if a %}{% else %}"})
      expect_refused_quickly(repeated(part, levels));
    expect_refused_quickly("{{ " + repeated("(", levels) + "1" + repeated(")", levels) + " }}");
    expect_refused_quickly("{{ " + repeated("[", levels) + repeated("]", levels) + " }}");
    expect_refused_quickly(repeated("{% if 1 %}", levels) + repeated("{% endif %}", levels));
  }
}

TEST(TemplateLimits, LongTemplatesParseInLinearTime) {
  for (const auto* part :
       {"{% filter upper %}a{% endfilter %}", "{# c #}", "{{ a }}\n", "{% raw %}{{{% endraw %}",
        "{% set a = 'b' %}", "{% if a %}{% elif b %}{% else %}{% endif %}  \n"}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(chat_template::parse(repeated(part, 50'000))) << part;
    const auto taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(std::chrono::duration<double>(taken).count(), patience_seconds) << part;
  }
}

TEST(TemplateLimits, EndlessWorkIsRefused) {
  const std::string loop = "{% for i in range(99999) %}";
  for (const std::string& source : {
           loop + loop + "{% endfor %}{% endfor %}",
           loop + loop + "x{% if i == 5 %}{% break %}{% endif %}{% endfor %}{% endfor %}",
           std::string{"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"},
           std::string{
               "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}"},
           std::string{"{{ range(100000000) }}"},
           std::string{"{{ range(-9223372036854775807, 9223372036854775807) | length }}"},
           std::string{"{{ range(0, -9223372036854775807, -1) | list }}"},
           loop + "{{ range(99999) | length }}{% endfor %}",
           loop + "{{ 99998 in range(99999) }}{% endfor %}",
           loop + "{{ range(99999) | sort | join }}{% endfor %}",
           loop + "{{ range(99999) | unique | list | length }}{% endfor %}",
           "{% set l = range(99999) %}" + loop + "{{ l == l | list }}{% endfor %}",
           "{% set l = range(99999) | list %}" + loop +
               "{{ l[1:] | length }}{{ l | map('string') | first }}{% endfor %}",
           "{% set s = 'ab ' * 300000 %}" + loop + "{{ s.split() | length }}{% endfor %}",
           "{% set s = 'ab ' * 300000 %}" + loop + "{% set t = s | upper %}{% endfor %}",
           "{% set s = 'ab ' * 300000 %}" + loop + "{% set t = s[::-1] | tojson | length %}{% endfor %}",
           "{% set s = 'ab ' * 300000 %}" + loop + "{{ s | list | length }}{{ s.find('x') }}{% endfor %}",
           "{% set s = 'ab ' * 300000 %}" + loop +
               "{{ 'x' in s }}{{ s | replace('a', 'b') | length }}{% endfor %}",
       })
    expect_refused_quickly(source);
}

TEST(TemplateLimits, GiantTextsAndListsAreRefused) {
  const std::string doubling = "{% set n = namespace(x=";
  const std::string each = ") %}{% for i in range(80) %}{% set n.x = ";
  for (const std::string& source : {
           doubling + "'ab'" + each + "n.x ~ n.x %}{% endfor %}",
           doubling + "'ab'" + each + "n.x + n.x %}{% endfor %}",
           doubling + "'ab'" + each + "n.x * 2 %}{% endfor %}",
           doubling + "'ab'" + each + "[n.x, n.x] | join %}{% endfor %}",
           doubling + "'ab'" + each + "n.x | replace('a', n.x) %}{% endfor %}",
           doubling + "'ab'" + each + "n.x | replace('', n.x) %}{% endfor %}",
           doubling + "'ab'" + each + "'%s%s' % (n.x, n.x) %}{% endfor %}",
           doubling + "'ab'" + each + "'{0}{0}'.format(n.x) %}{% endfor %}",
           doubling + "'ab'" + each + "n.x.join([n.x, n.x]) %}{% endfor %}",
           doubling + "'<'" + each + "n.x | escape | replace('&', '<<') %}{% endfor %}",
           doubling + "'\"'" + each + "n.x | tojson %}{% endfor %}",
           doubling + "'\"'" + each + "[n.x] | string %}{% endfor %}",
           doubling + "[1]" + each + "n.x + n.x %}{% endfor %}",
           doubling + "[1]" + each + "n.x * 2 %}{% endfor %}",
           doubling + "[1]" + each + "[n.x, n.x] %}{% endfor %}{{ n.x }}",
           doubling + "[1]" + each + "[n.x, n.x] %}{% endfor %}{{ n.x | tojson }}",
           // A list of lists that is small in memory and without end in print or comparison.
           std::string{
               "{% set n = namespace(x=[1], y=[1]) %}{% for i in range(50) %}{% set n.x = [n.x, n.x] %}"
               "{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}"},
           std::string{
               "{% set n = namespace(x=[1]) %}{% for i in range(50) %}{% set n.x = [n.x, n.x] %}{% endfor %}"
               "{{ n.x | tojson }}"},
           std::string{
               "{% set n = namespace(x={}) %}{% for i in range(50) %}{% set n.x = {'a': n.x, 'b': n.x} %}"
               "{% endfor %}{{ n.x }}"},
           std::string{
               "{% for i in range(9999) %}{% for j in range(9999) %}0123456789012345678901234567890123456789"
               "{% endfor %}{% endfor %}"},
           std::string{"{{ 'a' * 9223372036854775807 }}"},
           std::string{"{{ [1] * 9223372036854775807 }}"},
           std::string{"{{ 9223372036854775807 * 'ab' }}"},
           std::string{"{{ 9 ** 99 }}"},
           std::string{"{{ 9223372036854775807 + 1 }}"},
           std::string{"{{ -9223372036854775807 - 2 }}"},
           std::string{"{{ 99999999999999999999 }}"},
           std::string{"{{ '%99999999999d' % 1 }}"},
           std::string{"{{ 'a' | indent(9999999999) }}"},
           std::string{"{{ [1] | tojson(indent=99999999) }}"},
       })
    expect_refused_quickly(source);
}

TEST(TemplateLimits, ValuesThatHoldThemselvesAreHarmless) {
  EXPECT_EQ(render_small("{% set n = namespace() %}{% set n.me = n %}{{ n.me.me.me is defined }}").text,
            "True");
  EXPECT_EQ(render_small("{% set n = namespace() %}{% set n.l = [n, {'n': n}] %}{{ n.l[0] == n }}").text,
            "True");
  // Chains of namespaces and of bound methods, as long as the work allows.
  EXPECT_EQ(render_small("{% set h = namespace(c=namespace()) %}{% for i in range(9999) %}{% set c = h.c %}"
                         "{% set c.next = namespace() %}{% set h.c = c.next %}{% endfor %}ok")
                .text,
            "ok");
  for (const char* source : {
           "{% set n = namespace(f=1) %}{% for i in range(9999) %}{% set n.f = [n.f].count %}{% endfor %}",
           "{% set n = namespace(f=1) %}{% for i in range(9999) %}{% set n.f = {'a': n.f}.get %}{% endfor %}",
           "{% set n = namespace(f=1) %}{% for i in range(9999) %}{% set n.f = [n.f] %}{% endfor %}",
           "{% set n = namespace(f=1) %}{% for i in range(9999) %}{% set n.f = {'a': n.f} %}{% endfor %}",
           "{% set n = namespace(f=1) %}{% for i in range(9999) %}{% set n.f = dict(n.f or {}, a=n.f) %}{% "
           "endfor %}",
           "{% set l = [] %}{{ l.append(l) }}",
           "{% set d = {} %}{{ d.update({'d': d}) }}",
       })
    expect_refused_quickly(source);
}

TEST(TemplateLimits, DeepInputIsRefused) {
  test::conversation chat;
  json_value nested;
  for (int i = 0; i < 1000; ++i) nested = json_value{json_array{std::move(nested)}};
  chat.messages = std::move(nested);
  const auto got = test::render("{{ messages }}", chat.input());
  EXPECT_TRUE(got.failed);
  EXPECT_EQ(got.code, error_code::template_refused);
}

// The sizes would wrap around in 64 bits, and nothing repeated is nothing however often.
TEST(TemplateLimits, HugeRepetitionsEndAtOnce) {
  for (const auto* source : {"[{{ '' * 9223372036854775807 }}]", "[{{ 9223372036854775807 * '' }}]",
                             "[{{ 'ab' * (-9223372036854775807) }}]"})
    EXPECT_EQ(render_small(source).text, "[]") << source;
  for (const auto* source : {"{{ 'abc' * 6148914691236517206 }}", "{{ 'ab' * 9223372036854775807 }}"})
    expect_refused_quickly(source);
}

TEST(TemplateLimits, LongConversationsStillRender) {
  test::conversation chat;
  json_array messages;
  for (int i = 0; i < 2000; ++i)
    messages.push_back(json_value{json_object{{"role", {std::string{i % 2 == 0 ? "user" : "assistant"}}},
                                              {"content", {std::string(500, 'a')}}}});
  chat.messages = json_value{std::move(messages)};
  for (const auto& [name, source] : test::all_templates()) {
    const auto got = test::render(source, chat.input());
    EXPECT_FALSE(got.failed) << name << ": " << got.text.substr(0, 200);
    EXPECT_GT(got.text.size(), 1'000'000U) << name;
  }
  chat.messages = json_value{json_array{
      json_value{json_object{{"role", {std::string{"user"}}}, {"content", {std::string(2'000'000, 'b')}}}}}};
  for (const auto& [name, source] : test::all_templates())
    EXPECT_FALSE(test::render(source, chat.input()).failed) << name;
}

TEST(TemplateLimits, EveryPrefixOfEveryTemplateParsesOrSaysWhyNot) {
  const auto chat = test::find_conversation("tool call");
  for (const auto& [name, source] : test::all_templates())
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto parsed = chat_template::parse(std::string_view{source}.substr(0, i));
      if (!parsed)
        expect_clean({true, parsed.error().code, parsed.error().message, {}},
                     name + " to " + std::to_string(i));
    }
}

TEST(TemplateLimits, ChangedBytesNeverDoHarm) {
  std::mt19937 random{20'240'611};
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
  };
  const std::string bytes = "{}%#-+()[]|.,:='\"\\~*/<>! \n\r\t09azA_\x80\xC3\xFF";
  const auto templates = test::all_templates();
  const auto chat = test::find_conversation("tool call");
  for (int round = 0; round < 4000; ++round) {
    auto source = templates[below(templates.size())].second;
    for (std::size_t change = below(4) + 1; change > 0; --change) {
      const auto at = below(source.size());
      if (below(3) == 0) {
        source.erase(at, below(8) + 1);
      } else if (below(2) == 0) {
        source.insert(at, source.substr(below(source.size()), below(30)));
      } else {
        source[at] = bytes[below(bytes.size())];
      }
      if (source.empty()) source = "x";
    }
    const auto got = test::render(source, chat.input());
    if (got.failed) expect_clean(got, "round " + std::to_string(round) + "\n" + source);
  }
}

TEST(TemplateLimits, ErrorsNameTheLineAndStayOneLine) {
  EXPECT_THAT(render_small("a\nb\n{{ 1 / 0 }}").text, HasSubstr("(line 3)"));
  EXPECT_THAT(render_small("{% if 1 %}\n\n{{ nope.x }}{% endif %}").text, HasSubstr("(line 3)"));
  EXPECT_THAT(render_small("\n\n{% bogus %}").text, HasSubstr("(line 3)"));
  expect_clean(render_small("{{ raise_exception('a\nb\r\x01 \xC3\x28') }}"), "control characters");
  expect_clean(render_small("{{ raise_exception('" + repeated("é", 5000) + "') }}"), "long message");
  expect_clean(render_small("{{ '" + repeated("é", 5000) + "' + 1 }}{% " + repeated("é", 3000)),
               "long source");
  EXPECT_THAT(render_small("{{ raise_exception('" + repeated("é", 5000) + "') }}").text,
              HasSubstr("é (line 1)"));
}

}  // namespace
}  // namespace neap::text
