#include "config/known_tokens.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace config {

known_tokens::known_tokens(const std::string& folder) : path_(folder + "/tokens.db"), stored_(folder) {}

/// Of what can not be read, what was there before counts.
void known_tokens::look() {
  struct ::stat now {};
  if (::stat(path_.c_str(), &now) != 0)
    now.st_mtim = {};
  if (now.st_mtim.tv_sec == changed_.tv_sec && now.st_mtim.tv_nsec == changed_.tv_nsec)
    return;
  auto read = stored_.list();
  if (auto warning = stored_.take_warning(); !warning.empty())
    spdlog::warn("{}", warning);
  if (!read.ok()) {
    spdlog::warn("the tokens of clients could not be read: {}", read.error.message);
    return;
  }
  changed_ = now.st_mtim;
  all_ = std::move(read.value);
  had_any_ = had_any_ || !all_.empty();
}

std::string known_tokens::name_of(std::string_view token) {
  look();
  return name_of_token(all_, token);
}

bool known_tokens::has(std::string_view name) {
  look();
  return std::any_of(all_.begin(), all_.end(), [&](auto& each) { return each.name == name; });
}

bool known_tokens::has_any() {
  look();
  return had_any_;
}

} // namespace config
