#include "constant.hpp"
#include "rules.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace code_policy {

namespace python {

namespace {

constexpr rule text_as_code{"eval", "runs text as code"};
constexpr rule compiled_text{"compile", "makes code of text"};
constexpr rule import_by_name{"__import__", "loads a module whose name may be made up; use an import statement"};
constexpr rule builtins_module{"__builtins__", "reaches functions past their names"};
constexpr rule name_tables{"namespace-lookup", "reaches names that are made up while the program runs"};
constexpr rule unpickled{"pickle", "runs what the data says"};
constexpr rule shell{"os-system", "starts processes"};
constexpr rule processes{"subprocess", "starts processes"};
constexpr rule system_file{"open-for-writing", "writes to a file of the system"};

/// Names in one `from ... import` or `import` statement that are looked at.
constexpr size_t import_tokens_max = 300;

bool one_of(std::string_view what, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), what) != names.end();
}

bool starts_processes(std::string_view of_os) {
  return one_of(of_os, {"system", "popen", "posix_spawn", "posix_spawnp", "startfile"})
         || ((of_os.starts_with("exec") || of_os.starts_with("spawn")) && of_os.size() <= 8
             && of_os.find_first_not_of("lvpe", of_os[0] == 'e' ? 4 : 5) == of_os.npos);
}

bool is_subprocess(std::string_view function) {
  return one_of(function, {"run", "call", "Popen", "check_output", "check_call", "getoutput", "getstatusoutput"});
}

/// The rule that a function of a module breaks; null: none.
const rule* broken_by(std::string_view module, std::string_view function) {
  if (module == "os" || module == "posix")
    return starts_processes(function) ? &shell : nullptr;
  if (module == "subprocess")
    return is_subprocess(function) ? &processes : nullptr;
  if (module == "asyncio")
    return one_of(function, {"create_subprocess_exec", "create_subprocess_shell"}) ? &processes : nullptr;
  if (module == "pickle" || module == "_pickle" || module == "cPickle")
    return function == "loads" ? &unpickled : nullptr;
  if (module == "builtins" || module == "__builtins__")
    return one_of(function, {"eval", "exec"}) ? &text_as_code
           : function == "compile"            ? &compiled_text
           : function == "__import__"         ? &import_by_name
                                              : nullptr;
  return nullptr;
}

bool is_system_path(std::string_view path) {
  if (path == "/dev/null" || path.starts_with("/dev/shm/") || path.starts_with("/dev/std")
      || path.starts_with("/dev/fd/") || path == "/dev/tty")
    return false;
  for (std::string_view folder :
       {"/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/boot/"})
    if (path.starts_with(folder))
      return true;
  return false;
}

class examination {
public:
  explicit examination(const token_list& list) : list_(list) {}

  std::vector<finding> run() && {
    find_declared();
    for (size_t i = 0; i < list_.tokens.size() && found_.size() < findings_max; ++i)
      if (list_.is(i, token_kind::name))
        list_.is_mark(i - 1, ".") ? attribute(i) : name(i);
    return std::move(found_);
  }

private:
  void find(const rule& broken, size_t first, size_t behind) {
    auto last = std::min(behind, list_.tokens.size()) - 1;
    found_.push_back({&broken, list_.tokens[first].begin, list_.tokens[last].end});
  }

  bool is_before(size_t i, std::string_view word) const { return i > 0 && list_.is_name(i - 1, word); }

  // ---- what names mean

  void find_declared() {
    for (size_t i = 0; i < list_.tokens.size(); ++i) {
      if (!list_.is(i, token_kind::name) || list_.is_mark(i - 1, "."))
        continue;
      auto word = list_.text(i);
      if (word == "def" && list_.is(i + 1, token_kind::name))
        own_.insert(list_.name(i + 1));
      else if (word == "from")
        i = from_import(i);
      else if (word == "import"
               && (i == 0 || list_.is(i - 1, token_kind::line_end) || list_.is_mark(i - 1, ";")
                   || list_.is_mark(i - 1, ":")))
        import(i);
    }
  }

  /// `import a, b.c as d`; of `a.b` the name is `a`.
  void import(size_t i) {
    auto end = std::min(i + import_tokens_max, list_.tokens.size());
    for (++i; i < end && list_.is(i, token_kind::name); ++i) {
      auto module = list_.name(i);
      auto as = module;
      for (; list_.is_mark(i + 1, ".") && i < end; i += 2)
        ;
      if (list_.is_name(i + 1, "as")) {
        as = list_.name(i + 2);
        i += 2;
      }
      modules_[as] = module;
      if (!list_.is_mark(++i, ","))
        return;
    }
  }

  /// `from a import (b, c as d)`. Where it ends.
  size_t from_import(size_t from) {
    auto module = list_.name(from + 1);
    auto i = from + 1;
    for (; i < list_.tokens.size() && i < from + import_tokens_max && !list_.is_name(i, "import"); ++i)
      if (!list_.is(i, token_kind::name) && !list_.is_mark(i, "."))
        return from; // `yield from`, `raise ... from`
    auto end = std::min(from + import_tokens_max, list_.tokens.size());
    i += list_.is_mark(i + 1, "(") ? 2 : 1;
    for (; i < end && list_.is(i, token_kind::name); ++i) {
      auto function = list_.name(i);
      if (auto* broken = broken_by(module, function))
        found_.push_back({broken, list_.tokens[from].begin, list_.tokens[i].end});
      auto as = list_.is_name(i + 1, "as") ? list_.name(i + 2) : function;
      own_.insert(as);
      i += list_.is_name(i + 1, "as") ? 3 : 1;
      if (!list_.is_mark(i, ","))
        break;
    }
    return i - 1;
  }

  // ---- rules

  void name(size_t i) {
    auto word = list_.text(i);
    if (word == "__builtins__")
      return find(builtins_module, i, i + 1);
    if (word == "getattr" && list_.is_mark(i + 1, "("))
      return by_attribute(i);
    bool is_definition = is_before(i, "def") || is_before(i, "class");
    if (is_definition || own_.contains(std::string{word}))
      return;
    bool is_called = list_.is_mark(i + 1, "(");
    // Their use as a value leads there as well; not as the name of a parameter.
    bool is_used =
      is_called || (!list_.is_mark(i + 1, "=") && !list_.is_mark(i + 1, ":") && !list_.is_mark(i + 1, ":="));
    if ((word == "eval" || word == "exec") && is_used && !is_before(i, "as") && !is_before(i, "import"))
      find(text_as_code, i, i + 1);
    else if (word == "__import__" && is_used)
      find(import_by_name, i, i + 1);
    else if (word == "compile" && is_called)
      find(compiled_text, i, i + 1);
    else if ((word == "globals" || word == "locals" || word == "vars") && is_called && list_.is_mark(i + 2, ")"))
      table(i);
    else if (word == "open" && is_called)
      open(i);
  }

  /// `module.function`
  void attribute(size_t i) {
    auto function = list_.text(i);
    if (auto* broken = broken_by(module_at(i - 2), function))
      return find(*broken, i - 2, i + 1);
    if (function != "__dict__" || !list_.is_mark(i + 1, "["))
      return;
    auto key = constant(list_, i + 2, list_.behind(i + 1) - 1);
    if (module_at(i - 2) == "builtins" || (key && broken_by("builtins", *key)))
      find(name_tables, i, list_.behind(i + 1));
  }

  /// The module that the name at `i` stands for; empty: none.
  std::string module_at(size_t i) const {
    if (!list_.is(i, token_kind::name) || (i > 0 && list_.is_mark(i - 1, ".")))
      return {};
    auto word = list_.name(i);
    auto found = modules_.find(word);
    if (found != modules_.end())
      return found->second;
    return own_.contains(word) ? std::string{} : word; // as a session may have imported it before
  }

  /// getattr(module, "function")
  void by_attribute(size_t i) {
    auto first_end = argument_end(list_, i + 2, list_.behind(i + 1) - 1);
    if (first_end != i + 3)
      return;
    auto module = module_at(i + 2);
    auto function = constant(list_, first_end + 1, argument_end(list_, first_end + 1, list_.behind(i + 1) - 1));
    if (function && broken_by(module, *function))
      find(*broken_by(module, *function), i, list_.behind(i + 1));
    else if (!function && (module == "builtins" || module == "os" || module == "subprocess"))
      find(name_tables, i, list_.behind(i + 1));
  }

  /// globals()["..."]: constant names that mean no harm are only names.
  void table(size_t i) {
    auto behind = list_.behind(i + 1);
    if (list_.is_mark(behind, "["))
      key_of(i, behind);
    else if (list_.is_mark(behind, ".") && list_.is_mark(behind + 2, "(")
             && (list_.is_name(behind + 1, "get") || list_.is_name(behind + 1, "pop")))
      key(i, first_argument(list_, behind + 2), list_.behind(behind + 2));
  }

  void key_of(size_t i, size_t bracket) {
    key(i, constant(list_, bracket + 1, list_.behind(bracket) - 1), list_.behind(bracket));
  }

  void key(size_t i, const std::optional<std::string>& name, size_t behind) {
    if (!name || name->starts_with("__") || broken_by("builtins", *name))
      find(name_tables, i, behind);
  }

  /// Files of the sandbox and those that were granted may be written; these are never meant well.
  void open(size_t i) {
    auto last = list_.behind(i + 1) - 1;
    auto path_end = argument_end(list_, i + 2, last);
    auto path = constant(list_, i + 2, path_end);
    auto mode_begin = path_end + 1;
    if (list_.is_name(mode_begin, "mode") && list_.is_mark(mode_begin + 1, "="))
      mode_begin += 2;
    auto mode = path_end < last ? constant(list_, mode_begin, argument_end(list_, mode_begin, last)) : std::nullopt;
    if (path && mode && is_system_path(*path) && mode->find_first_of("wax+") != mode->npos)
      find(system_file, i, last + 1);
  }

  const token_list& list_;
  std::set<std::string> own_;                  ///< names that the program gives to functions of its own
  std::map<std::string, std::string> modules_; ///< by the name that they have here
  std::vector<finding> found_;
};

} // namespace

} // namespace python

std::vector<finding> python_findings(const token_list& list) { return python::examination{list}.run(); }

} // namespace code_policy
