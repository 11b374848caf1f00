// What a run asks for beyond its sandbox: files and hosts. The policy of the server decides what is granted.
#pragma once

#include "messages/fields.hpp"

#include <string>
#include <vector>

namespace msg {

struct permissions {
  std::vector<std::string> read;  ///< files and folders to read
  std::vector<std::string> write; ///< files and folders to read and write; new files appear in folders
  std::vector<std::string> net;   ///< hosts, see sandbox/egress/host_rules.hpp
  bool empty() const { return read.empty() && write.empty() && net.empty(); }
  bool operator==(const permissions&) const = default;
  auto fields() { return std::tie(read, write, net); }
};

} // namespace msg
