#include "sandbox/launch/permit.hpp"

#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "sandbox/launch/hidden.hpp"
#include "sandbox/launch/kept.hpp"
#include "text/utf8.hpp"

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

/// A list for one of Deno's flags.
std::string list_of(const std::vector<granted_path>& grants, bool writable_only) {
  std::string out;
  for (auto& grant : grants)
    if (grant.writable || !writable_only)
      out += (out.empty() ? "" : ",") + grant.path.text();
  return out;
}

/// Deno separates at commas and knows no way to write one (2.9: a doubled one is an empty path).
msg::fault unsupported_path(const std::vector<granted_path>& grants, const std::vector<std::string>& kept) {
  auto paths = kept;
  for (auto& grant : grants)
    paths.push_back(grant.path.text());
  for (auto& path : paths)
    if (path.find(',') != std::string::npos)
      return {
        msg::errc::invalid_argument,
        "permissions: '" + text::quoted(path, msg::limits::path_bytes_max)
          + "' has a comma in it, which Deno's permissions can not express; name a folder above it, or rename it"};
  return {};
}

/// Deno's flags stand before the program, which is the last word of the command.
void add_deno_permissions(box& b, const std::vector<granted_path>& grants, const std::vector<std::string>& kept,
                          bool net) {
  std::vector<std::string> flags;
  if (auto paths = list_of(grants, false); !paths.empty())
    flags.push_back("--allow-read=" + paths);
  if (auto paths = list_of(grants, true); !paths.empty())
    flags.push_back("--allow-write=" + paths);
  std::string denied;
  for (auto& path : kept)
    denied += (denied.empty() ? "" : ",") + path;
  if (!denied.empty())
    flags.push_back("--deny-write=" + denied);
  // The box has no network but the way to the proxy.
  if (net) {
    // One place would narrow it.
    std::erase_if(b.channel_flags, [](auto& flag) { return flag.starts_with("--allow-net="); });
    flags.emplace_back("--allow-net");
  }
  b.command.insert(b.command.end() - 1, flags.begin(), flags.end());
}

void add_egress(box& b) {
  b.egress = true;
  for (auto name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
    b.environment.emplace_back(name, proxy_address);
  b.environment.emplace_back("NODE_USE_ENV_PROXY", "1"); // node:http asks for it, fetch does not
  std::error_code ec;
  if (!fs::exists(authorities, ec))
    return;
  b.mounts.push_back({authorities, authorities});
  b.environment.emplace_back("SSL_CERT_FILE", authorities);
}

/// What the sandbox itself needs, as `grants` let a program see it. What lies in them, by whatever name, has to be what
/// it was under each of their names; and a link in a granted folder stays a link: what it leads to is what is mounted.
std::vector<mount> seen_through(const std::vector<granted_path>& grants, const std::vector<mount>& own) {
  std::vector<mount> out;
  for (auto& m : own) {
    std::error_code ec;
    auto real = fs::weakly_canonical(m.to.text(), ec).string();
    auto names = names_in_grants(ec ? m.to.text() : real, grants);
    auto lies_in_one = std::any_of(grants.begin(), grants.end(), [&](auto& g) {
      return m.to != g.path && process::inside(m.to.text(), g.path.text());
    });
    if (!lies_in_one)
      names.push_back(m.to);
    else if (names.empty())
      names.push_back(real);
    for (auto& name : names) {
      out.push_back(m);
      out.back().to = name;
    }
  }
  return out;
}

} // namespace

msg::outcome<box> permit(box base, msg::language lang, const msg::permissions& wanted, const path_policy& policy) {
  auto grants = resolve_grants(wanted, policy);
  if (!grants.ok())
    return std::move(grants.error);
  auto kept = keep(grants.value, policy);
  if (!kept.ok())
    return std::move(kept.error);
  base.holds = std::move(kept.value.holds);
  std::vector<mount> granted;
  granted.reserve(grants.value.size());
  for (auto& g : grants.value)
    granted.push_back({g.path, g.path, g.writable ? access::writable : access::read_only, g.opened});
  granted.insert(granted.end(), std::make_move_iterator(kept.value.mounts.begin()),
                 std::make_move_iterator(kept.value.mounts.end()));
  auto hiding = hide(grants.value, policy, base.mounts);
  if (!hiding.ok())
    return std::move(hiding.error);
  granted.insert(granted.end(), std::make_move_iterator(hiding.value.begin()),
                 std::make_move_iterator(hiding.value.end()));
  // What a link in another granted folder, or one of the box (/lib), leads to is there under its real name.
  std::erase_if(granted, [&](auto& m) {
    return std::any_of(grants.value.begin(), grants.value.end(),
                       [&](auto& g) { return g.by_link && process::inside(m.to.text(), g.path.text()); })
           || std::any_of(base.links.begin(), base.links.end(),
                          [&](auto& link) { return process::inside(m.to.text(), link.second); });
  });
  // A mount hides those below it that were there before.
  std::stable_sort(granted.begin(), granted.end(), [](auto& a, auto& b) { return a.to.size() < b.to.size(); });
  if (!wanted.net.empty())
    add_egress(base);
  // What is our own comes last, so that a runtime that lies in a granted folder is what it was.
  auto own = seen_through(grants.value, base.mounts);
  granted.insert(granted.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  base.mounts = std::move(granted);
  if (lang == msg::language::typescript) {
    if (auto problem = unsupported_path(grants.value, kept.value.paths); problem.code != msg::errc::none)
      return problem;
    add_deno_permissions(base, grants.value, kept.value.paths, !wanted.net.empty());
  }
  return base;
}

} // namespace sandbox
