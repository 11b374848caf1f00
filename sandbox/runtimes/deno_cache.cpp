#include "sandbox/runtimes/deno_cache.hpp"

#include "sandbox/runtimes/runtime.hpp"

#include <algorithm>

namespace sandbox {

namespace {

constexpr const char* mount_point = "/runtime/deno-cache";
constexpr const char* deno_folder = "/tmp/.deno";

/// All that guests read of it. The rest of Deno's folder is their own: it must be able to write there, or retries for
/// 150 ms to store a module that it has transpiled.
constexpr const char* entries[] = {"dep_analysis_cache_v2", "node_analysis_cache_v2", "v8_code_cache_v2", "gen/file",
                                   "node_compat_bin"};

/// The second run finds the databases of the first and lets SQLite make the statistics that it lacks. Without them
/// every guest tries to, fails because its cache is read-only, and goes on without a cache. SQLite's -wal and -shm
/// files stay as the runs leave them: it opens a database in a read-only folder only if they are there.
constexpr uint32_t runs_until_settled = 2;

void use_code_cache(box& b) { std::erase(b.command, "--no-code-cache"); }

void set(box& b, const std::string& name, const std::string& value) {
  std::erase_if(b.environment, [&](auto& variable) { return variable.first == name; });
  b.environment.emplace_back(name, value);
}

} // namespace

cache_recipe deno_cache_recipe(const box& deno) {
  cache_recipe r{"deno", deno, runs_until_settled, deno, mount_point, {}};
  use_code_cache(r.maker);
  set(r.maker, "DENO_DIR", mount_point);
  r.maker.channel_port = 0;
  r.maker.command.emplace_back("prepare");
  use_code_cache(r.user);
  set(r.user, "DENO_DIR", deno_folder);
  for (std::string entry : entries)
    r.user.links.emplace_back(mount_point + ("/" + entry), deno_folder + ("/" + entry));
  for (auto& mount : deno.mounts)
    if (mount.to == "/runtime/deno" || mount.to == typescript_guest_path)
      r.inputs.push_back(mount.from.text());
  return r;
}

} // namespace sandbox
