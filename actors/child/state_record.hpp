// What the record hears of a server: the states that it comes to, and whether its breaker lets calls through.
#pragma once

#include "messages/audit.hpp"
#include "messages/servers.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace child {

class state_record {
public:
  explicit state_record(std::string server) : server_(std::move(server)) {}

  /// Since it was asked last; what has not changed is not told. `last_error`: why it is not as it should be, if it is
  /// not.
  std::vector<msg::audit_event> changes(msg::server_state state, msg::breaker_state breaker,
                                        const std::string& last_error);

private:
  enum class news : uint8_t { good, bad };
  msg::audit_event event(std::string state, news how, const std::string& last_error) const;

  std::string server_;
  msg::server_state state_ = msg::server_state::idle;
  bool is_open_ = false; ///< the breaker, or half-open
};

} // namespace child
