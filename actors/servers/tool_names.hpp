// Which server and which tool is meant, and whether it may be used.
#pragma once

#include "actors/servers/generations.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace servers {

class tool_names {
public:
  /// Outlives this.
  explicit tool_names(const generations& all) : all_(all) {}

  /// The server's configured name, and the tool as it was written.
  msg::outcome<msg::tool_ref> locate(const msg::tool_ref& written, const msg::tool_filter& allowed) const;
  /// The tool of the last list of that server. Null: why it has none of that name, or why it may not be used.
  msg::outcome<const msg::tool_info*> find(const server& s, const msg::tool_ref& written,
                                           const msg::tool_filter& allowed) const;
  /// errc::none: neither the settings nor the run have anything against that tool.
  msg::fault refusal(const msg::tool_filter& allowed, const std::string& server, const std::string& tool) const;
  /// errc::none: they let some tool of that server be used, if it is there; else why that one can not be.
  msg::fault refusal_of_all(const msg::tool_filter& allowed, const std::string& server, const std::string& tool) const;
  /// Names no server that `allowed` leaves nothing of, and none at all once a run has had many wrong names. 0: no run.
  msg::fault unknown_server(const std::string& name, uint64_t run = 0, const msg::tool_filter& allowed = {}) const;

  void run_ends(uint64_t run) { wrong_.erase(run); }

private:
  /// Of the wrong names of a run, those that are held against all names for what is near to them: that takes the one
  /// thread some milliseconds.
  static constexpr uint32_t wrong_names_max = 20;

  bool may_compare(uint64_t run) const;
  msg::fault unknown_tool(const server& s, const msg::tool_ref& written, const msg::tool_filter& allowed) const;

  const generations& all_;
  mutable std::map<uint64_t, uint32_t> wrong_; ///< names that were compared, by run
};

} // namespace servers
