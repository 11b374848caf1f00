// Logins that calls of a run need: of each server one at a time, for which all its calls wait.
#pragma once

#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

/// In one run at one server: the first, and one more each time that it wants more rights. Who asks more wears a person
/// out.
inline constexpr uint32_t logins_max = 3;
/// Servers at once. Each login has a port of this machine open.
inline constexpr size_t logins_at_once_max = 8;

/// Of one run.
class logins {
public:
  using ended = std::function<void(msg::fault)>; ///< errc::none: there is a login
  /// `then` is called once, later or at once, and never after this is gone.
  using asker = std::function<void(const std::string& server, ended then)>;

  explicit logins(asker ask) : ask_(std::move(ask)) {}

  /// `then` hears of it once: at once, without a word, when the person has been asked often enough or has not logged in
  /// before.
  void want(const std::string& server, ended then);

private:
  struct login {
    std::vector<ended> waiting; ///< empty: none is open
    uint32_t asked = 0;
    bool has_failed = false;
  };

  void over(const std::string& server, const msg::fault& why);

  asker ask_;
  std::map<std::string, login> of_; ///< by server
  size_t open_ = 0;
};

} // namespace actors::run
