#include "sandbox/egress/host_rules.hpp"

#include "messages/limits.hpp"

#include <algorithm>

namespace egress {

namespace {

using msg::errc;
using msg::fault;
using msg::outcome;

constexpr std::string_view permission = "permissions.net";
constexpr std::string_view no_exception = "; no permission or setting allows that";

fault malformed_rule(std::string_view pattern, std::string_view why) {
  return {errc::invalid_argument, "'" + printable(pattern) + "' is no host pattern: " + std::string{why}
                                    + ". Write 'example.com', 'example.com:8080', '*.example.com' or '*'"};
}

/// Takes ":PORT" off the end of `pattern`; an IPv6 address without brackets has no port.
std::string_view take_port(std::string_view& pattern) {
  auto colon = pattern.rfind(':');
  bool bracketed = pattern.starts_with('[');
  auto bracket = bracketed ? pattern.rfind(']') : pattern.npos;
  if (colon == pattern.npos || (bracketed ? bracket != pattern.npos && colon < bracket : pattern.find(':') != colon))
    return {};
  auto port = pattern.substr(colon);
  pattern.remove_suffix(port.size());
  return port;
}

std::string_view obvious_mistake(std::string_view pattern) {
  if (pattern.empty())
    return "it is empty";
  if (pattern.size() > msg::limits::pattern_bytes_max)
    return "it is too long";
  if (pattern.find("://") != pattern.npos)
    return "it is a URL; leave out everything but the host and the port";
  if (pattern.find_first_of("/\\?#") != pattern.npos)
    return "paths and address ranges are not supported";
  if (pattern.find('@') != pattern.npos)
    return "there is a user name in it";
  return {};
}

/// Names the entry that a list contains, and the fault's own message.
fault in_list(std::string_view list, fault f) {
  f.message = std::string{list} + ": " + f.message;
  return f;
}

std::string why_never_allowed(const host_rule& rule) {
  return rule.hosts == host_rule::scope::any_host
           ? std::string{}
           : why_never_allowed(rule.hosts == host_rule::scope::one_host ? rule.of : host{"x." + rule.of.name, {}});
}

fault add_setting(network_policy& to, std::string name, const std::optional<std::vector<std::string>>& patterns) {
  if (!patterns)
    return {};
  rule_list list{std::move(name), {}};
  for (auto& pattern : *patterns) {
    auto rule = parse_rule(pattern);
    if (!rule.ok())
      return in_list(list.name, std::move(rule.error));
    if (auto why = why_never_allowed(rule.value); !why.empty())
      to.warnings.push_back(list.name + ": '" + printable(pattern) + "' has no effect: " + why
                            + std::string{no_exception});
    list.rules.push_back(std::move(rule.value));
  }
  to.rules.lists.push_back(std::move(list));
  return {};
}

/// A list without entries allows nothing.
bool is_off(const egress_rules& rules) {
  return rules.lists.empty()
         || std::any_of(rules.lists.begin(), rules.lists.end(), [](auto& list) { return list.rules.empty(); });
}

fault refusal(const rule_list& list, const host& h, uint16_t port) {
  bool is_web = port == 80 || port == 443;
  auto entry = is_web ? h.text() : with_port(h, port);
  auto who = list.name == permission ? " of this call; " : ", which the owner of this server decides; ";
  return {errc::not_allowed,
          with_port(h, port) + " is not in " + list.name + who + "'" + entry + "' there would allow it"};
}

} // namespace

outcome<host_rule> parse_rule(std::string_view pattern) {
  if (auto mistake = obvious_mistake(pattern); !mistake.empty())
    return malformed_rule(pattern, mistake);
  host_rule rule;
  auto name = pattern;
  if (auto port = take_port(name); port == ":*") {
    rule.which = host_rule::ports::all;
  } else if (!port.empty()) {
    auto number = parse_port(port.substr(1));
    if (!number)
      return malformed_rule(pattern, "the port is no number from 1 to 65535, nor '*'");
    rule.which = host_rule::ports::one;
    rule.port = *number;
  }
  if (name == "*") {
    rule.hosts = host_rule::scope::any_host;
    return rule;
  }
  if (name.starts_with("*.")) {
    rule.hosts = host_rule::scope::subdomains;
    name.remove_prefix(2);
  }
  if (name.find('*') != name.npos)
    return malformed_rule(pattern, "'*' can only stand alone or before the first dot");
  auto parsed = parse_host(name);
  if (!parsed.ok())
    return malformed_rule(pattern, parsed.error.message);
  rule.of = std::move(parsed.value);
  if (rule.hosts == host_rule::scope::subdomains && rule.of.literal)
    return malformed_rule(pattern, "an address has no subdomains");
  return rule;
}

bool matches(const host_rule& rule, const host& h, uint16_t port) {
  if (rule.which == host_rule::ports::web ? port != 80 && port != 443
                                          : rule.which == host_rule::ports::one && port != rule.port)
    return false;
  switch (rule.hosts) {
    case host_rule::scope::any_host: return true;
    case host_rule::scope::one_host: return h.name == rule.of.name;
    case host_rule::scope::subdomains: return !h.literal && h.name.ends_with("." + rule.of.name);
  }
  return false;
}

outcome<network_policy> make_policy(const network_settings& settings) {
  network_policy out;
  if (auto problem = add_setting(out, "security.allowNetwork", settings.allow_network); problem.code != errc::none)
    return problem;
  if (auto problem = add_setting(out, "security.allowedDomains", settings.allowed_domains); problem.code != errc::none)
    return problem;
  return out;
}

outcome<egress_rules> check_request(const std::vector<std::string>& requested, const network_policy& policy) {
  if (requested.empty())
    return egress_rules{};
  rule_list own{std::string{permission}, {}};
  if (requested.size() > msg::limits::egress_patterns_max)
    return fault{errc::invalid_argument, own.name + " has " + std::to_string(requested.size()) + " entries, at most "
                                           + std::to_string(msg::limits::egress_patterns_max) + " are possible"};
  for (auto& pattern : requested) {
    auto rule = parse_rule(pattern);
    if (!rule.ok())
      return in_list(own.name, std::move(rule.error));
    if (auto why = why_never_allowed(rule.value); !why.empty())
      return fault{errc::not_allowed,
                   own.name + ": '" + printable(pattern) + "' can not be allowed: " + why + std::string{no_exception}};
    own.rules.push_back(std::move(rule.value));
  }
  if (is_off(policy.rules))
    return fault{errc::not_allowed,
                 own.name
                   + ": network access is off on this server; its owner can allow hosts with the settings "
                     "security.allowNetwork or security.allowedDomains"};
  auto out = policy.rules;
  out.lists.insert(out.lists.begin(), std::move(own));
  return out;
}

fault check_connection(const egress_rules& rules, const host& h, uint16_t port) {
  if (auto why = why_never_allowed(h); !why.empty())
    return {errc::not_allowed, with_port(h, port) + " is out of reach: " + why + std::string{no_exception}};
  if (rules.lists.empty())
    return {errc::not_allowed, with_port(h, port) + " is out of reach: this call has no permissions.net"};
  for (auto& list : rules.lists)
    if (std::none_of(list.rules.begin(), list.rules.end(), [&](auto& rule) { return matches(rule, h, port); }))
      return refusal(list, h, port);
  return {};
}

} // namespace egress
