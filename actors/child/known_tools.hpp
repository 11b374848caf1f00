// What a server lists: its tools, and their contracts, compiled when a tool is called for the first time.
#pragma once

#include "messages/tool_call.hpp"
#include "process/background.hpp"
#include "proxy/contract.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace child {

/// Of one server. Lists and contracts may be large: other threads, if there are any, let go of them.
class known_tools {
public:
  explicit known_tools(process::background_work offload);

  const msg::listed_tools& list() const { return list_; }
  /// It has listed these now.
  void replace(msg::listed_tools list);
  /// They have changed, and could not be read: until they are, no call and no result is held against what was listed
  /// before.
  void could_not_be_read() { is_stale_ = true; }
  /// Null: the server does not list such a tool, or what it lists now is not known. It is for the server to say so.
  std::shared_ptr<const proxy::contract> contract_of(const std::string& tool);
  /// Forgets contracts that take more than child_contracts_bytes_max together: what was compiled lately is compiled
  /// again when it is needed, for a list may have any number of large schemas.
  void bound_contracts();
  /// Of a list that no actor needs.
  void drop(msg::tool_list list) const;

private:
  void forget_contracts();

  process::background_work offload_;
  msg::listed_tools list_;
  bool is_stale_ = false;
  /// Of tools that have been called since the list was read last.
  std::unordered_map<std::string, std::shared_ptr<const proxy::contract>> contracts_;
};

} // namespace child
