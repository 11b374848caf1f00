#include "constant.hpp"
#include "escapes.hpp"
#include "rules.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace code_policy {

namespace typescript {

namespace {

constexpr rule text_as_code{"eval", "runs text as code"};
constexpr rule function_of_text{"function-constructor", "makes a function of text"};
constexpr rule constructor_chain{"constructor-chain", "reaches the constructor that makes functions of text"};
constexpr rule timer_text{"timer-text", "runs text as code; give it a function"};
constexpr rule require_call{"require", "loads code; use a static import"};
constexpr rule computed_import{"dynamic-import", "loads code that is not known before the program runs"};
constexpr rule processes{"child-process", "starts processes"};

/// Tokens that are looked at between the braces of `const {...}`.
constexpr size_t destructured_max = 200;
/// Bytes of the name of a module that are looked at.
constexpr size_t specifier_bytes_max = 100;

bool one_of(std::string_view what, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), what) != names.end();
}

bool is_process_module(std::string_view name) { return name == "child_process" || name == "node:child_process"; }
/// The code is the name.
bool is_code(std::string_view specifier) { return specifier.starts_with("data:") || specifier.starts_with("blob:"); }

class examination {
public:
  explicit examination(const token_list& list) : list_(list) {}

  std::vector<finding> run() && {
    find_declared();
    for (size_t i = 0; i < list_.tokens.size() && found_.size() < findings_max; ++i) {
      if (list_.is(i, token_kind::name))
        is_member(i) ? member(i) : name(i);
      else if (list_.is(i, token_kind::text))
        static_import(i);
      else if (list_.is_mark(i, "["))
        element(i);
    }
    return std::move(found_);
  }

private:
  /// What is reached by `.name`, `?.name`, `["name"]` or `?.["name"]` from the value that ends before `i`.
  struct reached {
    std::string name;
    size_t behind = 0;
  };

  std::optional<reached> reached_from(size_t i) const {
    if (list_.is_mark(i, "?.") && list_.is_mark(i + 1, "["))
      ++i;
    if ((list_.is_mark(i, ".") || list_.is_mark(i, "?.")) && list_.is(i + 1, token_kind::name))
      return reached{list_.name(i + 1), i + 2};
    if (!list_.is_mark(i, "["))
      return std::nullopt;
    auto behind = list_.behind(i);
    auto key = constant(list_, i + 1, behind - 1);
    return key ? std::optional{reached{std::move(*key), behind}} : std::nullopt;
  }

  /// The parenthesis of a call of the value that ends before `i`; `none`: it is not called.
  size_t call_at(size_t i) const {
    if (list_.is_mark(i, "?.") && list_.is_mark(i + 1, "("))
      ++i;
    return list_.is_mark(i, "(") ? i : size_t{none};
  }
  bool is_called(size_t behind) const { return call_at(behind) != none; }

  bool is_member(size_t i) const { return i > 0 && (list_.is_mark(i - 1, ".") || list_.is_mark(i - 1, "?.")); }
  bool is_before(size_t i, std::initializer_list<std::string_view> words) const {
    return i > 0 && one_of(list_.text(i - 1), words);
  }

  /// `name(...) {` or `name(...): type` in a class or an object, `function name(...)`.
  bool is_definition(size_t i) const {
    if (is_before(i, {"function"}) || (is_before(i, {"*"}) && i > 1 && list_.text(i - 2) == "function"))
      return true;
    if (!list_.is_mark(i + 1, "(")
        || !(i == 0
             || is_before(i, {"{", "}", ";", ",", "*", "async", "get", "set", "static", "public", "private",
                              "protected", "override", "abstract", "readonly"})))
      return false;
    auto behind = list_.behind(i + 1);
    if (list_.is_mark(behind, ":"))
      return true;
    auto line =
      behind < list_.tokens.size()
        ? list_.source.substr(list_.tokens[behind - 1].end, list_.tokens[behind].begin - list_.tokens[behind - 1].end)
        : std::string_view{};
    return list_.is_mark(behind, "{") && line.find('\n') == line.npos;
  }

  /// Which of the names that are looked for the program gives to things of its own.
  void find_declared() {
    for (size_t i = 0; i + 1 < list_.tokens.size(); ++i) {
      if (!list_.is(i, token_kind::name) || is_member(i)
          || !one_of(list_.text(i), {"function", "const", "let", "var", "class", "import"}))
        continue;
      auto next = list_.is_mark(i + 1, "*") ? i + 2 : i + 1;
      declare(next);
      if (!list_.is_mark(next, "{"))
        continue;
      for (auto end = std::min(list_.behind(next), next + destructured_max); next < end; ++next)
        declare(next);
      i = next - 1;
    }
  }

  void declare(size_t i) {
    for (auto name : {"exec", "execSync", "execFile", "execFileSync", "require"})
      if (list_.is_name(i, name))
        declared_.insert(name);
  }

  void find(const rule& broken, size_t first, size_t behind) {
    auto last = std::min(behind, list_.tokens.size()) - 1;
    found_.push_back({&broken, list_.tokens[first].begin, list_.tokens[last].end});
  }

  // ---- rules

  void name(size_t i) {
    auto word = list_.name(i);
    if (word == "eval")
      return eval(i);
    if (word == "Function")
      return function(i);
    if (one_of(word, {"globalThis", "window", "self", "global"}))
      return global(i);
    if (word == "import")
      return dynamic_import(i);
    if (word == "Deno")
      return deno(i);
    if (word == "Reflect" && list_.is_name(i + 2, "construct") && list_.is_name(i + 4, "Function"))
      return find(function_of_text, i, i + 5);
    if (!is_called(i + 1) || is_definition(i))
      return;
    if (one_of(word, {"setTimeout", "setInterval"}))
      timer_of(i, i + 1);
    else if (word == "require")
      require(i);
    else if (!declared_.contains(word) && one_of(word, {"exec", "execSync", "execFile", "execFileSync"}))
      find(processes, i, i + 1);
  }

  /// Every use of it, but as the name of a property or a method.
  void eval(size_t i) {
    bool is_key = list_.is_mark(i + 1, ":") && !is_before(i, {"?", "(", "="});
    if (!is_key && !is_definition(i))
      find(text_as_code, i, i + 1);
  }

  void function(size_t i) {
    auto further = reached_from(i + 1);
    bool by_detour =
      further && one_of(further->name, {"call", "apply", "bind", "constructor"}) && is_called(further->behind);
    // (0, Function)("...").
    bool in_parentheses = list_.is_mark(i + 1, ")") && is_called(i + 2) && is_before(i, {",", "("});
    if (by_detour || in_parentheses || is_before(i, {"new"}) || (is_called(i + 1) && !is_definition(i)))
      find(function_of_text, i, i + 1);
  }

  void global(size_t i) {
    auto what = reached_from(i + 1);
    while (what && one_of(what->name, {"globalThis", "window", "self", "global"}))
      what = reached_from(what->behind);
    if (!what)
      return;
    if (what->name == "eval")
      find(text_as_code, i, what->behind);
    else if (what->name == "Function")
      find(function_of_text, i, what->behind);
    else if (one_of(what->name, {"setTimeout", "setInterval"}))
      timer_of(i, what->behind);
    else if (what->name == "Deno")
      deno_from(i, what->behind);
  }

  void require(size_t i) {
    if (is_process_module(first_argument(list_, call_at(i + 1)).value_or("")))
      find(processes, i, list_.behind(call_at(i + 1)));
    else if (!declared_.contains("require"))
      find(require_call, i, i + 1);
  }

  void timer_of(size_t i, size_t behind) {
    auto call = call_at(behind);
    if (call != none && (list_.is(call + 1, token_kind::text) || list_.is(call + 1, token_kind::piece)))
      find(timer_text, i, call + 2);
  }

  void dynamic_import(size_t i) {
    if (!list_.is_mark(i + 1, "(") || is_definition(i))
      return;
    auto what = first_argument(list_, i + 1);
    if (!what || is_code(*what))
      find(computed_import, i, list_.behind(i + 1));
    else if (is_process_module(*what))
      find(processes, i, list_.behind(i + 1));
  }

  void static_import(size_t i) {
    if (!is_before(i, {"from", "import"}))
      return;
    auto what = unescaped(list_.text(i).substr(1, specifier_bytes_max));
    what.erase(std::min(what.find_first_of("\"'`"), what.size()));
    if (is_process_module(what))
      find(processes, i, i + 1);
    else if (is_code(what))
      find(computed_import, i, i + 1);
  }

  void deno(size_t i) {
    deno_from(i, i + 1);
    if (i < 2 || !list_.is_mark(i - 1, "=") || !list_.is_mark(i - 2, "}") || list_.is_mark(i + 1, "."))
      return;
    auto open = std::max<size_t>(std::min<size_t>(list_.tokens[i - 2].partner, i), i - std::min(i, destructured_max));
    for (auto j = open; j < i; ++j) // const { Command } = Deno
      if (list_.is_name(j, "Command") || list_.is_name(j, "run"))
        return find(processes, j, j + 1);
  }

  void deno_from(size_t i, size_t behind) {
    auto what = reached_from(behind);
    if (what && one_of(what->name, {"run", "Command"}))
      find(processes, i, what->behind);
  }

  /// `x.name`
  void member(size_t i) {
    auto word = list_.name(i);
    if (one_of(word, {"execSync", "execFile", "execFileSync"}) && is_called(i + 1))
      find(processes, i, i + 1);
    else if (word == "getBuiltinModule" && is_called(i + 1)
             && is_process_module(first_argument(list_, call_at(i + 1)).value_or("")))
      find(processes, i, list_.behind(call_at(i + 1)));
    else if (word == "constructor")
      constructor(i - 1, i + 1);
  }

  /// `x["name"]`
  void element(size_t i) {
    auto what = i > 0 ? reached_from(i) : std::nullopt;
    if (what && what->name == "constructor")
      constructor(i, what->behind);
  }

  /// x.constructor.constructor, and (...).constructor("..."): the constructor of a function
  void constructor(size_t first, size_t behind) {
    auto next = reached_from(behind);
    auto call = call_at(behind);
    bool of_expression = first > 0 && list_.is_mark(first - 1, ")");
    if (next && next->name == "constructor")
      find(constructor_chain, first, next->behind);
    else if (of_expression && call != none
             && (list_.is(call + 1, token_kind::text) || list_.is(call + 1, token_kind::piece)))
      find(constructor_chain, first, call + 2);
  }

  const token_list& list_;
  std::set<std::string> declared_;
  std::vector<finding> found_;
};

} // namespace

} // namespace typescript

std::vector<finding> typescript_findings(const token_list& list) { return typescript::examination{list}.run(); }

} // namespace code_policy
