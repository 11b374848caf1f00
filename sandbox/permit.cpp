#include "sandbox/permit.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace sandbox {

namespace fs = std::filesystem;

namespace {

/// Where guest-init listens for the guest, see box::egress.
constexpr const char* proxy_address = "http://127.0.0.1:3128";
/// Certificate authorities of this system, for Python; Deno has its own.
constexpr const char* authorities = "/etc/ssl/certs/ca-certificates.crt";

/// A list for one of Deno's flags: it separates at commas, and a doubled comma is one.
std::string list_of(const std::vector<granted_path>& grants, bool writable_only) {
  std::string out;
  for (auto& grant : grants) {
    if (writable_only && !grant.writable)
      continue;
    out += out.empty() ? "" : ",";
    for (char c : grant.path)
      out += c == ',' ? std::string{",,"} : std::string{c};
  }
  return out;
}

/// Deno's flags stand before the program, which is the last word of the command.
void add_deno_permissions(box& b, const std::vector<granted_path>& grants, bool net) {
  std::vector<std::string> flags;
  if (auto paths = list_of(grants, false); !paths.empty())
    flags.push_back("--allow-read=" + paths);
  if (auto paths = list_of(grants, true); !paths.empty())
    flags.push_back("--allow-write=" + paths);
  if (net)
    flags.emplace_back("--allow-net"); // the box has no network but the way to the proxy
  b.command.insert(b.command.end() - 1, flags.begin(), flags.end());
}

void add_egress(box& b) {
  b.egress = true;
  for (auto name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
    b.environment.emplace_back(name, proxy_address);
  std::error_code ec;
  if (!fs::exists(authorities, ec))
    return;
  b.mounts.push_back({authorities, authorities});
  b.environment.emplace_back("SSL_CERT_FILE", authorities);
}

} // namespace

msg::outcome<box> permit(box base, msg::language lang, const msg::permissions& wanted, const path_policy& policy) {
  auto grants = resolve_grants(wanted, policy);
  if (!grants.ok())
    return std::move(grants.error);
  std::vector<mount> granted;
  for (auto& g : grants.value)
    granted.push_back({g.path, g.path, g.writable ? access::writable : access::read_only, g.opened});
  // First, so that a runtime that lies in a granted folder is what it was.
  base.mounts.insert(base.mounts.begin(), std::make_move_iterator(granted.begin()), std::make_move_iterator(granted.end()));
  if (lang == msg::language::typescript)
    add_deno_permissions(base, grants.value, !wanted.net.empty());
  if (!wanted.net.empty())
    add_egress(base);
  return base;
}

} // namespace sandbox
