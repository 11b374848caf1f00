// Scopes: names of rights, in one text with blanks between them (RFC 6749, 3.3).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Of one login, and bytes of each. The address that the browser is given has to hold them.
inline constexpr size_t scopes_max = 200;
inline constexpr size_t scope_bytes_max = 256;

using scope_list = std::vector<std::string>;

/// What can be none (other characters than RFC 6749 names, too long, too many) is left out, and so is one that comes a
/// second time.
scope_list split_scopes(std::string_view text);
scope_list valid_scopes(const scope_list& from);
std::string join_scopes(const scope_list& scopes);
/// Those of `a`, then what `b` has more.
scope_list union_of(const scope_list& a, const scope_list& b);
bool has_scope(const scope_list& in, std::string_view scope);

struct scope_sources {
  scope_list configured;    ///< in the user's own entry: they win
  scope_list challenged;    ///< in the server's refusal
  scope_list of_resource;   ///< in its metadata
  scope_list of_issuer;     ///< in the metadata of its authorization server
  scope_list earlier_asked; ///< with what was missing then: they are added (step-up)
};
/// Those that are asked for. Empty: the parameter is left out. `offline_access` comes with others only, and only if the
/// authorization server knows it.
scope_list choose_scopes(const scope_sources& from);

} // namespace oauth
