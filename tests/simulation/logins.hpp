// Logins at the servers over HTTP of a simulation: what they refuse requests for, and where a person logs in.
#pragma once

#include "actors/child/asked_logins.hpp"
#include "mcp/request_labels.hpp"
#include "tests/simulation/injected.hpp"
#include "tests/simulation/world.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace simulation {

/// Both outlive it.
class logins {
public:
  logins(world& in, injected_faults& injected) : world_(in), injected_(injected) {}

  /// Nobody is logged in at it any more.
  void expire(const std::string& server) { expired_.insert(server); }
  /// True: the server wants a login before it does that. Where another token helps, it is renewed without a word.
  bool refuses(const std::string& server, const msg::child_server_actor& owner, uint64_t generation,
               const mcp::request_subject& about);
  /// The last request was refused for it.
  bool is_wanted(const std::string& server) const { return wanted_.contains(server); }
  /// A person goes to a page, and comes back or does not.
  child::login_factory factory();

private:
  world& world_;
  injected_faults& injected_;
  std::set<std::string> expired_, wanted_;
};

} // namespace simulation
