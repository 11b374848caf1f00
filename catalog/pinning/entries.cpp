#include "catalog/pinning/entries.hpp"

#include "messages/document.hpp"
#include "process/child.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tool_pinning {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// Every text with its length, so that nothing can move from one field into the next.
class hash {
public:
  hash() { nettle_sha256_init(&state_); }

  hash& add(std::string_view text) {
    std::array<uint8_t, 8> length{};
    for (size_t i = 0; i < length.size(); ++i)
      length[i] = static_cast<uint8_t>(uint64_t{text.size()} >> (8 * i));
    nettle_sha256_update(&state_, length.size(), length.data());
    nettle_sha256_update(&state_, text.size(), reinterpret_cast<const uint8_t*>(text.data()));
    return *this;
  }

  hash& add_all(const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    for (auto& text : texts)
      add(text);
    return *this;
  }

  hash& add_all(std::vector<std::pair<std::string, std::string>> pairs) {
    // Of two of one name the later counts.
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.first < b.first; });
    add(std::to_string(pairs.size()));
    for (auto& [name, value] : pairs)
      add(name).add(value);
    return *this;
  }

  std::string hex() {
    std::array<uint8_t, SHA256_DIGEST_SIZE> bytes{};
    nettle_sha256_digest(&state_, bytes.size(), bytes.data());
    std::string out;
    for (auto b : bytes) {
      out += digits[b >> 4U];
      out += digits[b & 15U];
    }
    return out;
  }

private:
  sha256_ctx state_{};
};

/// Which server it is, whatever its entry says.
std::string place_key_of(const msg::server_entry& entry) {
  return hash{}.add(entry.name).add(entry.source).add(entry.workspace).hex();
}

fault failure(const std::string& what, const std::string& path) {
  return {errc::internal, path + ": " + what + ": " + std::strerror(errno)};
}

/// Writers wait for each other here. Ends with the descriptor.
process::descriptor lock(const std::string& folder) {
  process::descriptor at{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  int locked = -1;
  do
    locked = at ? ::flock(at.get(), LOCK_EX) : -1;
  while (at && locked != 0 && errno == EINTR);
  return locked == 0 ? std::move(at) : process::descriptor{};
}

/// The whole file or none of it, whenever the machine stops.
fault replace(const std::string& path, const std::string& text) {
  auto unfinished = path + ".new"; // no other program writes: the folder is locked
  process::descriptor file{::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file)
    return failure("can not be written", unfinished);
  for (std::string_view rest = text; !rest.empty();) {
    auto n = ::write(file.get(), rest.data(), rest.size());
    if (n < 0 && errno != EINTR)
      return failure("can not be written", unfinished);
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  if (::fsync(file.get()) != 0 || ::rename(unfinished.c_str(), path.c_str()) != 0)
    return failure("can not be written", path);
  return {};
}

std::string text_at(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

/// Null: it is not what we write.
const json::object* entries_in(const msg::document& document) {
  auto* root = document.value().if_object();
  auto* all = root ? root->if_contains("servers") : nullptr;
  return all ? all->if_object() : nullptr;
}

struct stored {
  msg::document content; ///< null: there is none
  std::string problem;
};

stored read_file(const std::string& path) {
  std::error_code ec;
  if (!fs::exists(path, ec))
    return {{}, ec ? path + ": " + ec.message() : ""};
  if (!fs::is_regular_file(path, ec)) // a pipe would be waited for
    return {{}, path + ": is no file; nothing in it counts. Remove it, and approve again what you want"};
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  auto unusable =
    path + ": is no list of approved servers; nothing in it counts. Remove it, and approve again what you want";
  if (text.view().size() > approved_entries::file_bytes_max)
    return {{}, unusable};
  auto parsed = msg::document::parse(text.view());
  if (!parsed.ok() || !entries_in(parsed.value))
    return {{}, unusable};
  return {std::move(parsed.value), {}};
}

} // namespace

std::string digest_of_entry(const msg::server_entry& entry) {
  hash h;
  h.add(entry.name)
    .add(entry.command)
    .add_all(entry.args)
    .add_all(entry.env)
    .add_all(entry.env_names)
    .add(entry.env_file);
  h.add(entry.cwd).add(entry.url).add_all(entry.headers);
  // What few entries have: approvals of the others stay.
  if (!entry.header_names.empty())
    h.add("header names").add_all(entry.header_names);
  if (!entry.bearer_name.empty())
    h.add("bearer name").add(entry.bearer_name);
  if (auto& login = entry.login; login != msg::login_settings{})
    h.add("login")
      .add(login.client_id)
      .add(login.client_secret)
      .add_all(login.scopes)
      .add(login.metadata_url)
      .add((login.is_for_machines ? "machine" : "person") + std::string{login.is_off ? ", off" : ""});
  h.add(std::to_string(static_cast<int>(entry.transport))).add(std::to_string(static_cast<int>(entry.syntax)));
  // What is approved does not widen itself: neither the tools nor how often, nor when it starts.
  h.add(std::to_string(entry.tools.everything ? 1 : 0)).add_all(entry.tools.allowed).add_all(entry.tools.denied);
  h.add(std::to_string(entry.rate.requests)).add(std::to_string(entry.rate.window_ms));
  h.add(std::to_string(entry.call_timeout_ms))
    .add(std::to_string(entry.calls_max))
    .add(std::to_string(entry.eager ? 1 : 0));
  return h.hex();
}

std::string approved_entries::path_in(const std::string& state_folder) {
  return state_folder.empty() ? std::string{} : (fs::path{state_folder} / file_name).string();
}

approved_entries approved_entries::read(const std::string& state_folder) {
  approved_entries out;
  if (state_folder.empty())
    return out;
  auto found = read_file(path_in(state_folder));
  out.problem_ = std::move(found.problem);
  if (auto* all = entries_in(found.content))
    for (auto& [key, value] : *all)
      if (auto* entry = value.if_object())
        out.digests_.emplace(key, text_at(*entry, "digest"));
  return out;
}

standing approved_entries::of(const msg::server_entry& entry) const {
  auto known = digests_.empty() ? digests_.end() : digests_.find(place_key_of(entry));
  if (known == digests_.end())
    return standing::unknown;
  return known->second == digest_of_entry(entry) ? standing::approved : standing::changed;
}

fault approve_entry(const std::string& state_folder, const msg::server_entry& entry) {
  if (state_folder.empty())
    return {errc::internal,
            "there is no folder for approvals: HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR"};
  std::error_code ec;
  if (fs::create_directories(state_folder, ec))
    fs::permissions(state_folder, fs::perms::owner_all, ec);
  auto locked = lock(state_folder);
  if (!locked)
    return failure("can not be locked", state_folder);
  auto path = approved_entries::path_in(state_folder);
  auto found = read_file(path);
  if (!found.problem.empty())
    return {errc::internal, std::move(found.problem)};
  auto* known = entries_in(found.content);
  json::object all = known ? *known : json::object{};
  // Names and places are for people who look at the file.
  all[place_key_of(entry)] = json::object{{"name", text::valid_utf8(entry.name)},
                                          {"file", text::valid_utf8(entry.source)},
                                          {"project", text::valid_utf8(entry.workspace)},
                                          {"digest", digest_of_entry(entry)}};
  auto text = msg::document{json::value(json::object{{"version", 1}, {"servers", std::move(all)}})}.text() + "\n";
  if (text.size() > approved_entries::file_bytes_max)
    return {errc::limit_exceeded, path + ": would have more than "
                                    + std::to_string(approved_entries::file_bytes_max >> 20)
                                    + " MiB, which is the limit; remove it, and approve again what you use"};
  return replace(path, text);
}

} // namespace tool_pinning
