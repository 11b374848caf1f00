#include "catalog/entry_digest.hpp"

#include "text/digest.hpp"

#include <algorithm>

namespace catalog {

namespace {

/// What most entries have not: those keep the digests of catalogs that exist.
void add_rest(const msg::server_entry& entry, text::digest& to) {
  if (entry.syntax != msg::variable_syntax::shell)
    to.add("syntax").add(static_cast<uint64_t>(entry.syntax));
  if (entry.syntax == msg::variable_syntax::editor) // which names it
    to.add("workspace").add(entry.workspace);
  if (!entry.scope.empty()) // an equal entry of another project starts another program, and speaks for no other file
    to.add("scope").add(entry.scope).add(entry.source);
  if (!entry.env_file.empty())
    to.add("env_file").add(entry.env_file);
  for (auto& name : entry.env_names)
    to.add("env_name").add(name);
  if (!entry.url.empty())
    to.add("url").add(static_cast<uint64_t>(entry.transport)).add(entry.url);
  for (auto& [name, value] : entry.headers)
    to.add("header").add(name).add(value);
  for (auto& [name, variable] : entry.header_names)
    to.add("header_name").add(name).add(variable);
  if (!entry.bearer_name.empty())
    to.add("bearer_name").add(entry.bearer_name);
}

} // namespace

std::string digest_of(const msg::server_entry& entry) {
  text::digest d;
  d.add(entry.name).add(entry.command).add(uint64_t{entry.args.size()});
  for (auto& a : entry.args)
    d.add(a);
  auto env = entry.env;
  // Of two of one name the later counts.
  std::stable_sort(env.begin(), env.end(), [](auto& a, auto& b) { return a.first < b.first; });
  d.add(uint64_t{env.size()});
  for (auto& [name, value] : env)
    d.add(name).add(value);
  d.add(entry.cwd);
  add_rest(entry, d);
  return d.hex();
}

} // namespace catalog
