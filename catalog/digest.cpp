#include "catalog/digest.hpp"

#include <algorithm>
#include <array>

namespace catalog {

namespace {

std::string finish(sha256_ctx& state) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<uint8_t, SHA256_DIGEST_SIZE> bytes;
  nettle_sha256_digest(&state, bytes.size(), bytes.data());
  std::string out;
  out.reserve(2 * bytes.size());
  for (auto b : bytes) {
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

} // namespace

digest& digest::add(std::string_view text) {
  add(uint64_t{text.size()});
  nettle_sha256_update(&state_, text.size(), reinterpret_cast<const uint8_t*>(text.data()));
  return *this;
}

digest& digest::add(uint64_t number) {
  std::array<uint8_t, sizeof number> bytes;
  for (auto& b : bytes) {
    b = static_cast<uint8_t>(number);
    number >>= 8U;
  }
  nettle_sha256_update(&state_, bytes.size(), bytes.data());
  return *this;
}

std::string digest::hex() { return finish(state_); }

stream_digest& stream_digest::add(std::string_view bytes) {
  nettle_sha256_update(&state_, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  return *this;
}

std::string stream_digest::hex() { return finish(state_); }

std::string sha256_of(std::string_view bytes) { return stream_digest{}.add(bytes).hex(); }

namespace {

/// What most entries have not: those keep the digests of catalogs that exist.
void add_rest(const msg::server_entry& entry, digest& to) {
  if (entry.syntax != msg::variable_syntax::shell)
    to.add("syntax").add(static_cast<uint64_t>(entry.syntax));
  if (entry.syntax == msg::variable_syntax::editor) // which names it
    to.add("workspace").add(entry.workspace);
  if (!entry.env_file.empty())
    to.add("env_file").add(entry.env_file);
  for (auto& name : entry.env_names)
    to.add("env_name").add(name);
  if (!entry.url.empty())
    to.add("url").add(static_cast<uint64_t>(entry.transport)).add(entry.url);
  for (auto& [name, value] : entry.headers)
    to.add("header").add(name).add(value);
}

} // namespace

std::string digest_of(const msg::server_entry& entry) {
  digest d;
  d.add(entry.name).add(entry.command).add(uint64_t{entry.args.size()});
  for (auto& a : entry.args)
    d.add(a);
  auto env = entry.env;
  std::stable_sort(env.begin(), env.end(), [](auto& a, auto& b) { return a.first < b.first; }); // of two of one name the later counts
  d.add(uint64_t{env.size()});
  for (auto& [name, value] : env)
    d.add(name).add(value);
  d.add(entry.cwd);
  add_rest(entry, d);
  return d.hex();
}

} // namespace catalog
