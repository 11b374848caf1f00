// What injected texts want their reader to call, and whether somebody does.
#pragma once

#include "faults/plan.hpp"
#include "messages/document.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// What the text of that rule, of the kind `injection`, names: its tool, and a digest of tool and arguments. The same
/// in all processes.
std::string canary_of(const rule& by);

/// Those that are in the world.
class canaries {
public:
  /// Plans of runs may bring any number; those besides are not looked for.
  static constexpr size_t most = 1'000;

  void add(const rule& by);
  /// Of a call: which of them it obeys, the one with the most arguments; empty: none. It has the tool, however that is
  /// spelled, and all arguments that the text named; it may have others.
  std::string obeyed_by(std::string_view name, const msg::document& arguments) const;
  bool is_empty() const { return count_ == 0; }

private:
  struct canary {
    std::string id;
    std::map<std::string, std::string> arguments; ///< canonical, by name
  };

  std::map<std::string, std::vector<canary>, std::less<>> by_tool_; ///< by the letters and digits of the name
  size_t count_ = 0;
};

} // namespace faults
