#include "proxy/types/python.hpp"

#include "proxy/types/combine.hpp"
#include "proxy/types/settle.hpp"
#include "text/json_text.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

// Recursion follows types, which are bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace {

constexpr size_t line_max = 100; ///< a longer list of parameters gets a line for each
constexpr size_t hint_bytes_max = 100;

constexpr std::array<std::string_view, 6> builtin_words{"bool", "dict", "float", "int", "list", "str"};
constexpr std::array<std::string_view, 6> typing_words{"Any",         "Literal",   "NoReturn",
                                                       "NotRequired", "TypeAlias", "TypedDict"};

constexpr std::array<std::string_view, 35> keywords_of_language{
  "False",  "None",     "True", "and",    "as",      "assert", "async",  "await",  "break", "class",  "continue", "def",
  "del",    "elif",     "else", "except", "finally", "for",    "from",   "global", "if",    "import", "in",       "is",
  "lambda", "nonlocal", "not",  "or",     "pass",    "raise",  "return", "try",    "while", "with",   "yield"};

bool is_one_of(std::string_view name, const auto& words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

/// A name that may stand in the body of a class: one that a type has would hide it from the lines below.
bool is_plain_member(std::string_view name) {
  return python::is_identifier(name) && !is_one_of(name, builtin_words)
         && !std::isupper(static_cast<unsigned char>(name[0])) && name[0] != '_';
}

std::string quoted(const std::string& text) { return text::to_text(boost::json::value(text)); }

std::string literal_text(const type& t) {
  if (t.literal_of == kind::boolean)
    return t.text == "true" ? "True" : "False";
  return t.text;
}

/// `#: ` is what documents members, and never a directive such as `# type:`.
std::string comment(std::string_view text, size_t indent) {
  return text.empty() ? std::string{} : std::string(indent, ' ') + "#: " + std::string{text} + "\n";
}

std::string hint_of(const std::string& prefix, std::string_view name) {
  return prefix.substr(0, hint_bytes_max) + type_name(name);
}

} // namespace

python::python(const std::vector<std::string>& functions) : functions_(functions.begin(), functions.end()) {
  for (auto& f : functions)
    taken_.reserve(f);
  for (auto& w : typing_words)
    taken_.reserve(w);
  for (auto& w : keywords_of_language)
    taken_.reserve(w);
}

bool python::is_identifier(std::string_view name) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !name.starts_with("__") && !std::isdigit(static_cast<unsigned char>(name[0]))
         && std::all_of(name.begin(), name.end(), word) && !is_one_of(name, keywords_of_language);
}

bool python::may_be_function(std::string_view name) { return !name.starts_with("__"); }

std::string python::word(std::string_view name) {
  bool is_builtin = is_one_of(name, builtin_words);
  if (functions_.contains(name)) {
    (is_builtin ? needs_builtins_ : needs_typing_) = true;
    return std::string{is_builtin ? "_builtins." : "_typing."}.append(name);
  }
  if (!is_builtin)
    imports_.emplace(name);
  return std::string{name};
}

std::string python::header() const {
  std::string names;
  for (auto& n : imports_)
    names += (names.empty() ? "" : ", ") + n;
  std::string out;
  if (needs_builtins_)
    out += "import builtins as _builtins\n";
  if (needs_typing_)
    out += "import typing as _typing\n";
  if (!names.empty())
    out += "from typing import " + names + "\n";
  return out.empty() ? out : out + "\n";
}

std::string python::docstring(std::string_view text, size_t indent) {
  if (text.empty())
    return {};
  std::string space(indent, ' ');
  std::string out = space + "\"\"\"";
  for (char c : text) {
    if (out.ends_with('\n') && c != '\n')
      out += space;
    if (c == '\\' || c == '"')
      out += '\\';
    out += c;
  }
  return out + "\"\"\"\n";
}

std::string python::print(const type& t, const std::string& hint) {
  switch (t.is) {
    case kind::unknown: return word("Any");
    case kind::never: return word("NoReturn");
    case kind::null: return "None";
    case kind::boolean: return word("bool");
    case kind::integer: return word("int");
    case kind::number: return word("float");
    case kind::string: return word("str");
    // No floats there.
    case kind::literal:
      return t.literal_of == kind::number ? word("float") : word("Literal") + "[" + literal_text(t) + "]";
    case kind::named: needs_quotes_ = needs_quotes_ || !defined_.contains(final_[t.name]); return final_[t.name];
    case kind::choice: return choice(t, hint);
    case kind::list:
    case kind::tuple: return list(t, hint);
    case kind::object: break;
  }
  return object(t, hint);
}

/// Who executes the text evaluates its annotations: one with a name that has no value yet is written as a string.
std::string python::annotation(const type& t, const std::string& hint, std::string_view around) {
  auto outer = std::exchange(needs_quotes_, false);
  auto is = print(t, hint);
  if (!around.empty())
    is = word(around).append("[").append(is).append("]");
  return std::exchange(needs_quotes_, outer) ? quoted(std::as_const(is)) : is;
}

std::string python::choice(const type& t, const std::string& hint) {
  std::string literals;
  std::vector<std::string> texts;
  auto add = [&](std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  };
  for (auto& p : t.parts)
    if (p.is == kind::literal && p.literal_of != kind::number)
      literals += (literals.empty() ? "" : ", ") + literal_text(p);
  if (!literals.empty())
    texts.push_back(word("Literal") + "[" + literals + "]");
  for (auto& p : t.parts)
    if (p.is != kind::literal || p.literal_of == kind::number)
      add(print(p, hint));
  std::string out;
  for (auto& text : texts)
    out += (out.empty() ? "" : " | ") + text;
  return out;
}

/// What is a tuple in JSON Schema is a list in Python too.
std::string python::list(const type& t, const std::string& hint) {
  auto parts = t.parts;
  parts.insert(parts.end(), t.rest.begin(), t.rest.end());
  auto element = parts.empty() ? type{} : either(std::move(parts));
  return word("list") + "[" + print(element, hint_of(hint, "Item")) + "]";
}

std::string python::object(const type& t, const std::string& hint) {
  if (t.fields.empty())
    return word("dict") + "[" + word("str") + ", "
           + (t.rest.empty() ? word("Any") : print(t.rest[0], hint_of(hint, "Value"))) + "]";
  auto name = taken_.take(hint);
  declare_dict(name, {}, t);
  return name;
}

void python::declare_dict(const std::string& name, std::string_view doc, const type& t) {
  bool plain = std::all_of(t.fields.begin(), t.fields.end(), [](auto& f) { return is_plain_member(f.name); });
  std::string body;
  for (auto& f : t.fields) {
    auto is = annotation(f.of, hint_of(name, f.name), f.required ? "" : "NotRequired");
    body += comment(f.doc, 4) + "    " + (plain ? f.name + ": " + is : quoted(f.name) + ": " + is + ",") + "\n";
  }
  auto dict = word("TypedDict");
  declarations_ += comment(doc, 0);
  declarations_ += plain ? "class " + name + "(" + dict + "):\n" + body + "\n"
                         : name + " = " + dict + "(" + quoted(name) + ", {\n" + body + "})\n\n";
  defined_.insert(name);
}

void python::declare_named(const named_type& named, const std::string& name) {
  if (named.is.is == kind::object && !named.is.fields.empty())
    return declare_dict(name, named.doc, named.is);
  auto is = annotation(named.is, name + "Value");
  declarations_ += comment(named.doc, 0) + name + ": " + word("TypeAlias") + " = " + is + "\n\n";
  if (!is.starts_with('"')
      && is != "None") // else its value is a string or None, which can not stand on both sides of `|`
    defined_.insert(name);
}

/// Of a choice of objects: what any of them takes; required is what all of them require.
python::keywords python::keywords_of(const type& input, const std::vector<named_type>& names) const {
  auto& body = body_of(input, names);
  if (body.is == kind::object)
    return {body.fields, body.rest};
  keywords out;
  size_t seen = 0;
  for (auto& p : body.parts) {
    auto& part = body_of(p, names);
    if (!part.rest.empty())
      out.others = {out.others.empty() ? part.rest[0] : either({out.others[0], part.rest[0]})};
    for (auto& f : out.fields)
      f.required = f.required && std::any_of(part.fields.begin(), part.fields.end(), [&](auto& g) {
                     return g.name == f.name && g.required;
                   });
    for (auto& f : part.fields) {
      auto known = std::find_if(out.fields.begin(), out.fields.end(), [&](auto& g) { return g.name == f.name; });
      if (known == out.fields.end()) {
        out.fields.push_back(f);
        out.fields.back().required = f.required && seen == 0;
      } else {
        known->of = either({known->of, f.of});
      }
    }
    ++seen;
  }
  return out;
}

std::string python::keyword_list(const keywords& k, const std::string& prefix) {
  std::string short_list, long_list;
  bool has_doc = false;
  auto add = [&](const std::string& text, const std::string& doc) {
    short_list += ", " + text;
    long_list += comment(doc, 4) + "    " + text + ",\n";
    has_doc = has_doc || !doc.empty();
  };
  for (bool required : {true, false})
    for (auto& f : k.fields)
      if (f.required == required)
        add(f.name + ": " + annotation(f.of, hint_of(prefix, f.name)) + (required ? "" : " = ..."), f.doc);
  if (!k.others.empty()) {
    std::string others = "others";
    while (std::any_of(k.fields.begin(), k.fields.end(), [&](auto& f) { return f.name == others; }))
      others += '_';
    add("**" + others + ": " + annotation(k.others[0], hint_of(prefix, others)), {});
  }
  auto star = k.fields.empty() ? std::string{} : std::string{"*"};
  if (!has_doc && short_list.size() <= line_max)
    return star.empty() ? short_list.substr(std::min<size_t>(2, short_list.size())) : star + short_list;
  return "\n" + (star.empty() ? "" : "    " + star + ",\n") + long_list;
}

std::string python::parameters(const tool_types& tool, const std::vector<named_type>& names,
                               const std::string& prefix) {
  if (tool.takes_nothing)
    return {};
  auto k = keywords_of(tool.input, names);
  if (std::all_of(k.fields.begin(), k.fields.end(), [](auto& f) { return is_identifier(f.name); }))
    return keyword_list(k, prefix);
  auto is = annotation(tool.input, prefix + "Params");
  return "params: " + is + (tool.may_omit_input ? " = ..." : "") + ", /";
}

std::string python::function(const tool_types& tool, const std::vector<named_type>& names, const std::string& name,
                             const std::string& prefix) {
  declarations_.clear();
  final_.assign(names.size(), {});
  auto used = names_of(names, {&tool.input, &tool.output});
  for (auto n : used)
    final_[n] = taken_.take(names[n].wish);
  for (auto n : used)
    declare_named(names[n], final_[n]);
  auto given = parameters(tool, names, prefix);
  auto output = annotation(tool.output, prefix + "Output");
  auto doc = tool.doc;
  if (!tool.output_doc.empty())
    doc += (doc.empty() ? "" : "\n\n") + std::string{"The result: "} + tool.output_doc + ".";
  auto head = "async def " + name + "(" + given + ") -> " + output + ":";
  return declarations_ + head + (doc.empty() ? " ...\n" : "\n" + docstring(doc, 4) + "    ...\n");
}

} // namespace types

// NOLINTEND(misc-no-recursion)
