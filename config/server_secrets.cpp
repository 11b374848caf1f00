#include "config/server_secrets.hpp"

#include "config/http_launch.hpp"
#include "config/launch.hpp"

namespace config {

std::vector<std::string> secrets_of(const msg::server_entry& entry, const environment& env,
                                    const variable_lookup& variable) {
  if (entry.transport == msg::transport_kind::stdio)
    return make_launch(entry, env, variable).value.secrets;
  return make_http_launch(entry, env, variable).value.secrets;
}

} // namespace config
