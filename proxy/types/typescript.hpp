// Types as TypeScript.
#pragma once

#include "proxy/types/tool_types.hpp"
#include "proxy/types/type.hpp"
#include "proxy/types/type_names.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace types {

/// Types that are printed one after the other, into one text.
class typescript {
public:
  /// Types that the language brings and that are printed here, or that no tool's type should hide.
  static constexpr std::string_view words[] = {"Array",   "Boolean", "Function", "Number", "Object",
                                               "Promise", "Record",  "String",   "Symbol"};

  /// What is not known is told to a reader, but must not make a compiler complain; nor must what was only observed, but
  /// an editor shows it.
  enum class unknowns { are_unknown, are_any, are_any_but_observed };

  /// `taken`: names of types that are in use.
  explicit typescript(type_names& taken, unknowns how = unknowns::are_unknown) : taken_(taken), unknowns_(how) {}

  /// `(params: {...}): Promise<...>`, and before it the declarations that it needs go to `declarations`, each with its
  /// line end. `indent`: of the line that it begins in.
  std::string function(const tool_types& tool, const std::vector<named_type>& names, const std::string& output_name,
                       size_t indent, std::string& declarations);

  /// A comment above something; empty for an empty text.
  static std::string comment(std::string_view text, size_t indent);
  /// As the name of a property.
  static std::string key(std::string_view name);

private:
  std::string print(const type& t, size_t indent);
  std::string choice(const type& t, size_t indent);
  std::string anything() const;
  std::string tuple(const type& t, size_t indent);
  std::string object(const type& t, size_t indent);
  void declare(const std::string& name, std::string_view doc, const type& is, std::string& declarations);

  type_names& taken_;
  unknowns unknowns_;
  std::vector<std::string> final_; ///< by index of the name
};

} // namespace types
