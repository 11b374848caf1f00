// How a client says who it is at the endpoint for tokens (RFC 6749, 2.3.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oauth {

enum class client_authentication : uint8_t { none, basic, post };

/// As it is registered: `none`, `client_secret_basic`, `client_secret_post`.
std::string_view to_string(client_authentication how);
/// Nothing: it is none that we can do.
std::optional<client_authentication> parse_client_authentication(std::string_view text);

/// `supported`: of the metadata; nothing: it does not say, which means client_secret_basic. Without a secret it is
/// always `none`. Nothing: the authorization server takes none that we can do with a secret.
std::optional<client_authentication>
choose_client_authentication(const std::optional<std::vector<std::string>>& supported, bool has_secret);

/// A client, as it is known to one authorization server.
struct client_identity {
  std::string id;
  std::string secret; ///< empty: it has none
  client_authentication how = client_authentication::none;
};

} // namespace oauth
