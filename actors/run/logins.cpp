#include "actors/run/logins.hpp"

namespace actors::run {

using msg::errc;
using msg::fault;

void logins::want(const std::string& server, ended then) {
  auto& of = of_[server];
  if (of.waiting.empty() && (of.has_failed || of.asked >= logins_max))
    return then(fault{errc::needs_login, {}});
  if (of.waiting.empty() && open_ >= logins_at_once_max)
    return then(fault{errc::overloaded, "this run waits for " + std::to_string(open_)
                                          + " logins already, which is the limit; call it again after them"});
  of.waiting.push_back(std::move(then));
  if (of.waiting.size() > 1)
    return;
  ++open_;
  ++of.asked;
  ask_(server, [this, server](const fault& why) { over(server, why); });
}

void logins::over(const std::string& server, const fault& why) {
  auto& of = of_[server];
  of.has_failed = why.code != errc::none;
  --open_;
  for (auto& then : std::exchange(of.waiting, {}))
    then(why);
}

} // namespace actors::run
