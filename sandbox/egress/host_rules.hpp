// Which hosts a guest may reach: what its run asked for, within what the settings allow.
//
// Patterns: `example.com`, `*.example.com` (below it, not itself), `*`, an IP address; each with `:PORT`, with `:*` for
// every port, or without, which means 80 and 443. Addresses that are not public are out of reach whatever the patterns
// say: there is no setting for that.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/egress/host_name.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egress {

struct host_rule {
  enum class scope : uint8_t {
    one_host,
    subdomains, ///< of `of`, at any depth
    any_host,
  };
  enum class ports : uint8_t {
    web, ///< 80 and 443
    one,
    all,
  };
  scope hosts = scope::one_host;
  host of; ///< unused with any_host
  ports which = ports::web;
  uint16_t port = 0; ///< of ports::one
};

/// The fault (invalid_argument) quotes the pattern, says what is wrong with it and what to write instead.
msg::outcome<host_rule> parse_rule(std::string_view pattern);
bool matches(const host_rule& rule, const host& h, uint16_t port);

/// All patterns of one place, e.g. of `permissions.net`.
struct rule_list {
  std::string name;
  std::vector<host_rule> rules;
};

/// A connection is allowed that every list allows. No list at all: nothing is.
struct egress_rules {
  std::vector<rule_list> lists;
};

/// What the settings say. `true` of `security.allowNetwork` is {"*"}, `false` is the empty list; absent is absent.
struct network_settings {
  std::optional<std::vector<std::string>> allow_network;
  std::optional<std::vector<std::string>> allowed_domains;
};

struct network_policy {
  egress_rules rules;                ///< of the settings
  std::vector<std::string> warnings; ///< entries that can never match, such as `localhost`: a sentence each
};

/// Network is off unless one of the settings is given; when both are, a host must be in both. The fault
/// (invalid_argument) names the setting and the entry.
msg::outcome<network_policy> make_policy(const network_settings& settings);

/// The rules of one run from its `permissions.net`. Refused with the call (not_allowed, invalid_argument): entries that
/// are no patterns, that name an address or a host that can never be allowed, and everything while the network is off.
/// Whether a host is within the settings is seen when it is connected to.
msg::outcome<egress_rules> check_request(const std::vector<std::string>& requested, const network_policy& policy);

/// code none: allowed. Otherwise (not_allowed) names the host, why, and the permission or setting that would allow it.
msg::fault check_connection(const egress_rules& rules, const host& h, uint16_t port);

} // namespace egress
