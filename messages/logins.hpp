// A login at a server that a run needs, for which its person is asked in the middle of it.
#pragma once

#include "messages/client_abilities.hpp"
#include "messages/fields.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// A server has refused a call of that run for want of a login.
struct login_request {
  uint64_t run = 0;
  std::string server; ///< configured name
  call_asker asker;
  auto fields() { return std::tie(run, server, asker); }
};

/// Where the person has to go.
struct login_page {
  std::string url;     ///< of an authorization server; of ours nothing secret is in it but what is good for one answer
  std::string message; ///< for the person: who asks for what; in one line
  auto fields() { return std::tie(url, message); }
};

} // namespace msg
