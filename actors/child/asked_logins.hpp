// Logins at a server that persons are asked for, because it has refused calls of their runs: one at a time for each
// client, whose runs all wait for it.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/logins.hpp"
#include "messages/server_questions.hpp"
#include "messages/servers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace child {

/// Clients that are asked for one server at once: each has a port of this machine open.
inline constexpr size_t logins_open_max = 16;
/// Runs of one client that wait for one login: more than may go on or rest at once.
inline constexpr size_t login_runs_max = 256;

/// What is heard of a login that has been begun, also from within its beginning.
struct login_events {
  std::function<void(msg::login_page)> page; ///< where the person has to go; once, or never
  std::function<void(msg::fault)> ended;     ///< once; errc::none: it is there, and kept
};
/// Begins a login. What comes back ends it at once, if it has not ended.
using login_factory = std::function<std::function<void()>(const msg::server_entry&, login_events)>;

struct login_routes {
  /// Begins the login of that number; page() and ended() are to be called, later. What comes back ends it.
  std::function<std::function<void()>(uint64_t number)> begin;
  std::function<void()> came; ///< there is a login: the server may be asked at once
};

/// Of one run.
struct login_waiter {
  std::function<void(msg::server_question, std::function<void(msg::outcome<msg::document>)>)> ask; ///< its client
  std::function<void(msg::outcome<bool>)> answer;                                                  ///< once
};

/// Of one server.
class asked_logins {
public:
  asked_logins(std::string server, login_routes routes) : server_(std::move(server)), routes_(std::move(routes)) {}
  asked_logins(const asked_logins&) = delete;
  asked_logins& operator=(const asked_logins&) = delete;

  /// The first run of a client is asked; those that come before the end wait with it. A run may come once at a time.
  void take(const msg::login_request& wanted, login_waiter from);
  /// Of a login that is over, nothing happens; so with ended().
  void page(uint64_t number, msg::login_page page);
  /// errc::none: what one person has done helps all.
  void ended(uint64_t number, const msg::fault& why);
  void end_all(const msg::fault& why);

private:
  struct login {
    uint64_t number = 0;
    std::function<void()> stop;
    std::optional<msg::login_page> page;
    std::map<uint64_t, login_waiter> waiting; ///< by run
    uint64_t asked_run = 0;                   ///< 0: none
  };
  using logins = std::map<uint64_t, login>; ///< by client

  logins::iterator find(uint64_t number);
  void ask_next(login& of);
  void ask(login& of, uint64_t run);
  void said(uint64_t number, uint64_t run, const msg::outcome<msg::document>& answer);
  void finish(logins::iterator which, const msg::fault& why);

  std::string server_;
  login_routes routes_;
  logins open_;
  uint64_t last_number_ = 0;
  uint64_t last_question_ = 0;
};

} // namespace child
