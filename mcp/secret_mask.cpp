#include "mcp/secret_mask.hpp"

#include <algorithm>

namespace mcp {

namespace {

constexpr size_t secret_bytes_min = 8;
/// A line is looked through once for each.
constexpr size_t secrets_max = 200;

/// Bytes at the end of `line` that `secret` begins with, if it does not end there; below the least of a secret they say nothing.
size_t beginning_at_end(std::string_view line, std::string_view secret) {
  for (auto n = std::min(line.size(), secret.size() - 1); n >= secret_bytes_min; --n)
    if (line.ends_with(secret.substr(0, n)))
      return n;
  return 0;
}

std::string escaped(std::string_view text, std::string_view these) {
  std::string out;
  for (char c : text) {
    if (these.find(c) != these.npos)
      out += '\\';
    out += c;
  }
  return out;
}

} // namespace

secret_mask::secret_mask(const std::vector<std::string>& secrets) {
  for (std::string_view rest : secrets)
    while (!rest.empty() && secrets_.size() < secrets_max) {
      auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.size() >= secret_bytes_min)
        add(std::string{line});
    }
  std::sort(secrets_.begin(), secrets_.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
}

/// As it is, and as it stands in a JSON text: many log in that form.
void secret_mask::add(std::string secret) {
  auto in_json = escaped(secret, "\"\\"), with_slashes = escaped(secret, "\"\\/");
  if (with_slashes != in_json)
    secrets_.push_back(std::move(with_slashes));
  if (in_json != secret)
    secrets_.push_back(std::move(in_json));
  secrets_.push_back(std::move(secret));
}

std::string secret_mask::operator()(std::string line, bool is_cut) const {
  for (auto& secret : secrets_)
    for (auto at = line.find(secret); at != line.npos; at = line.find(secret, at + secret_shown.size()))
      line.replace(at, secret.size(), secret_shown);
  for (auto& secret : secrets_)
    if (auto n = is_cut ? beginning_at_end(line, secret) : 0; n > 0)
      line.replace(line.size() - n, n, secret_shown);
  return line;
}

} // namespace mcp
