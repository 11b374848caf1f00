// pattern, format, content*: what is in a string.
#include "base64.hpp"
#include "compiler.hpp"
#include "evaluation.hpp"
#include "explain.hpp"
#include "formats.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

namespace json_schema {

namespace {

/// Bytes of a string that a format looks at in one step.
constexpr size_t checked_bytes_per_step = 16;
/// Strings longer than this are in no format: none of them is meant for that, and some take time with the square of it.
constexpr size_t format_bytes_max = 64 << 10;
constexpr size_t content_depth_max = 200;

class pattern_keyword final : public keyword {
public:
  pattern_keyword(const node& owner, std::string_view text, const pattern& compiled)
    : keyword(owner, "pattern", for_strings),
      text_(text),
      compiled_(compiled) {}

  bool holds(evaluation& run, const subject& s) const override {
    return compiled_.matches(s.instance.get_string(), run.space, run.steps) || run.fail(*this, s, [&] {
      return evaluation::complaint{"a match of the regular expression " + in_quotes(text_), ""};
    });
  }

private:
  std::string_view text_;
  const pattern& compiled_;
};

class format_keyword final : public keyword {
public:
  format_keyword(const node& owner, const format& known) : keyword(owner, "format", for_strings), known_(known) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto& text = s.instance.get_string();
    bool ok =
      run.steps.charge(text.size() / checked_bytes_per_step) && text.size() <= format_bytes_max && known_.matches(text);
    return ok || run.fail(*this, s, [&] {
      return evaluation::complaint{std::string{known_.words}, "for example " + in_quotes(known_.example)};
    });
  }

private:
  const format& known_;
};

bool is_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = content_depth_max;
  boost::json::error_code ec;
  boost::json::parse(text, ec, {}, options);
  return !ec;
}

class content_keyword final : public keyword {
public:
  content_keyword(const node& owner, bool is_base64, bool is_json)
    : keyword(owner, is_base64 ? "contentEncoding" : "contentMediaType", for_strings),
      base64_(is_base64),
      json_(is_json) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto& text = s.instance.get_string();
    if (!run.steps.charge(text.size() / checked_bytes_per_step))
      return false;
    auto decoded = base64_ ? base64_decoded(text) : std::optional<std::string>{std::string_view{text}};
    bool ok = decoded && (!json_ || is_json(*decoded));
    return ok || run.fail(*this, s, [&] {
      return evaluation::complaint{decoded ? "a JSON document in the string" : "base64 (RFC 4648)", ""};
    });
  }

private:
  bool base64_, json_;
};

bool has_text(const boost::json::object& schema, std::string_view name, std::string_view wanted) {
  auto* found = schema.if_contains(name);
  return found && found->is_string() && found->get_string() == wanted;
}

} // namespace

JSON_SCHEMA_KEYWORD(pattern) {
  auto* text = need_string(to, n, "pattern", value);
  auto* compiled = text ? to.compile_pattern(n, "pattern", *text) : nullptr;
  if (compiled)
    to.add<pattern_keyword>(n, *text, *compiled);
}

JSON_SCHEMA_KEYWORD(format) {
  auto* name = need_string(to, n, "format", value);
  auto* known = name && to.asserts_format(n) ? find_format(*name) : nullptr;
  if (known)
    to.add<format_keyword>(n, *known);
}

JSON_SCHEMA_KEYWORD(content) {
  bool is_base64 = has_text(schema, "contentEncoding", "base64");
  bool is_json =
    has_text(schema, "contentMediaType", "application/json") && (is_base64 || !schema.contains("contentEncoding"));
  if (to.options.content == meaning::assertion && (is_base64 || is_json)
      && is_first(schema, value, {"contentEncoding", "contentMediaType"}))
    to.add<content_keyword>(n, is_base64, is_json);
}

} // namespace json_schema
