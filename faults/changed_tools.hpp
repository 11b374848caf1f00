// Tools of one server that are other ones than before, or gone: what its lists say of them from then on, and what it
// gets to see of calls that know the change.
#pragma once

#include "messages/document.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace faults {

class changed_tools {
public:
  /// Tools that are changed; of more nothing is.
  static constexpr size_t tools_max = 10'000;

  bool is_empty() const { return gone_.empty() && renamed_.empty(); }
  /// False: it was gone before, or too many are.
  bool remove(std::string_view tool);
  /// False: it was changed before, or too many are. An empty name: that of its first required parameter, else of its
  /// first one.
  bool rename_parameter(std::string_view tool, std::string_view parameter);
  bool is_gone(std::string_view tool) const { return gone_.count(tool) > 0; }
  /// A page of its list of tools, as it is now.
  msg::document page(const msg::document& answer);
  /// What the server gets to see: the parameter has its old name.
  msg::document arguments(std::string_view tool, const msg::document& given) const;

private:
  std::set<std::string, std::less<>> gone_;
  std::map<std::string, std::string, std::less<>> renamed_; ///< tool to parameter; empty: not known yet
};

/// As a parameter is called when it has changed.
std::string new_name(std::string_view parameter);

} // namespace faults
