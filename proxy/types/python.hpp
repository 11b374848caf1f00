// Types as a Python stub (.pyi).
#pragma once

#include "proxy/types/tool_types.hpp"
#include "proxy/types/type.hpp"
#include "proxy/types/type_names.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace types {

/// One module, function by function.
class python {
public:
  /// `functions`: the names of all functions of the module.
  explicit python(const std::vector<std::string>& functions);

  /// The function behind the types that it needs, whose names begin with `prefix`.
  std::string function(const tool_types& tool, const std::vector<named_type>& names, const std::string& name,
                       const std::string& prefix);

  /// The imports that what was printed so far needs; goes before it.
  std::string header() const;

  /// Whether a parameter may have this name: without two underscores in front, which a class would mangle.
  static bool is_identifier(std::string_view name);

  /// Whether a module may have a function of this name: those with two underscores in front mean something to Python
  /// and to checkers (`__getattr__`), and in guests they lead to no tool.
  static bool may_be_function(std::string_view name);

  /// A string of several lines below a `def`; empty for an empty text.
  static std::string docstring(std::string_view text, size_t indent);

private:
  struct keywords {
    std::vector<field> fields;
    std::vector<type> others; ///< at most one: the type of what has other names
  };

  std::string print(const type& t, const std::string& hint);
  std::string annotation(const type& t, const std::string& hint, std::string_view around = {});
  std::string choice(const type& t, const std::string& hint);
  std::string list(const type& t, const std::string& hint);
  std::string object(const type& t, const std::string& hint);
  void declare_dict(const std::string& name, std::string_view doc, const type& t);
  void declare_named(const named_type& named, const std::string& name);
  keywords keywords_of(const type& input, const std::vector<named_type>& names) const;
  std::string parameters(const tool_types& tool, const std::vector<named_type>& names, const std::string& prefix);
  std::string keyword_list(const keywords& k, const std::string& prefix);
  /// A name of the language or of `typing`, as it must be written here.
  std::string word(std::string_view name);

  std::set<std::string, std::less<>> functions_;
  std::set<std::string, std::less<>> imports_; ///< from typing
  bool needs_typing_ = false;
  bool needs_builtins_ = false;
  type_names taken_;
  std::vector<std::string> final_; ///< by index of the name
  std::string declarations_;
  std::set<std::string, std::less<>> defined_; ///< names of types that have a value where the text goes on
  bool needs_quotes_ = false;                  ///< what is being printed has a name that is not among them
};

} // namespace types
