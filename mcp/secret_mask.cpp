#include "mcp/secret_mask.hpp"

#include <algorithm>

namespace mcp {

namespace {

constexpr size_t secret_bytes_min = 8;
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
  for (size_t i = 0; i < secrets_.size(); ++i) {
    begins_with_[static_cast<unsigned char>(secrets_[i][0])] = true;
    by_beginning_[secrets_[i].substr(0, secret_bytes_min)].push_back(i);
  }
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

/// Bytes of the longest secret that stands there; 0: none.
size_t secret_mask::secret_at(std::string_view text) const {
  auto begin = by_beginning_.find(text.substr(0, secret_bytes_min));
  if (begin == by_beginning_.end())
    return 0;
  for (auto number : begin->second)
    if (text.starts_with(secrets_[number]))
      return secrets_[number].size();
  return 0;
}

std::string secret_mask::without_secrets(std::string line) const {
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; !secrets_.empty() && i + secret_bytes_min <= line.size();) {
    bool may_be_one = begins_with_[static_cast<unsigned char>(line[i])];
    auto n = may_be_one ? secret_at(std::string_view{line}.substr(i)) : 0;
    if (n > 0)
      out.append(line, copied, i - copied).append(secret_shown);
    i += std::max<size_t>(n, 1);
    copied = n > 0 ? i : copied;
  }
  return copied == 0 ? std::move(line) : std::move(out.append(line, copied));
}

std::string secret_mask::operator()(std::string text, bool is_cut) const {
  auto line = without_secrets(std::move(text));
  for (auto& secret : secrets_)
    if (auto n = is_cut ? beginning_at_end(line, secret) : 0; n > 0)
      line.replace(line.size() - n, n, secret_shown);
  return line;
}

} // namespace mcp
