#include "config/known_tokens.hpp"

#include <spdlog/spdlog.h>

#include <sys/stat.h>

namespace config {

namespace {

/// Of 64 digits of the digest: enough to tell tokens of one name apart.
constexpr size_t shown_digits = 16;

std::string bearer_of(const client_token& token) { return token.name + " " + token.digest.substr(0, shown_digits); }

} // namespace

known_tokens::known_tokens(const std::string& folder) : path_(folder + "/tokens.db"), stored_(folder) {}

known_tokens::look_of_file known_tokens::look_at(const std::string& path) {
  struct ::stat now {};
  if (::stat(path.c_str(), &now) != 0)
    return {};
  return {now.st_mtim.tv_sec, now.st_mtim.tv_nsec, static_cast<uint64_t>(now.st_size), now.st_ino};
}

/// Of what can not be read, what was there before counts.
void known_tokens::look() {
  looks now{look_at(path_), look_at(path_ + "-wal")};
  were_wanted_ = were_wanted_ || now.front() != look_of_file{};
  if (now == seen_)
    return;
  auto read = stored_.list();
  if (auto warning = stored_.take_warning(); !warning.empty())
    spdlog::warn("{}", warning);
  if (!read.ok()) {
    spdlog::warn("the tokens of clients could not be read: {}", read.error.message);
    return;
  }
  seen_ = now;
  all_ = std::move(read.value);
  bearers_.clear();
  for (auto& each : all_)
    bearers_.insert(config::bearer_of(each));
}

std::string known_tokens::bearer_of(std::string_view token) {
  look();
  auto* found = find_token(all_, token);
  return found ? config::bearer_of(*found) : std::string{};
}

bool known_tokens::has(std::string_view bearer) {
  look();
  return bearers_.contains(bearer);
}

bool known_tokens::are_wanted() {
  look();
  return were_wanted_;
}

} // namespace config
