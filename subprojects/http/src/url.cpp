#include "http/url.hpp"

#include "http/field_text.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <optional>

namespace http {

namespace {

/// As far as two of them are compared.
struct address {
  std::string scheme;
  std::string host_and_port; ///< in small letters, always with a port
  std::string_view before_path;
  std::string_view path; ///< with query
};

std::string with_port(std::string_view authority, std::string_view scheme) {
  if (auto at = authority.rfind('@'); at != authority.npos)
    authority.remove_prefix(at + 1);
  auto out = text::in_small_letters(authority);
  auto name_end = out.starts_with('[') ? out.find(']') : size_t{0};
  auto colon = name_end == out.npos ? out.npos : out.find(':', name_end);
  if (colon == out.npos)
    out += ':';
  if (out.ends_with(':'))
    out += scheme == "https" ? "443" : "80";
  return out;
}

std::optional<address> parse(std::string_view url) {
  auto end = url.find("://");
  auto scheme = text::in_small_letters(url.substr(0, end));
  if (end == url.npos || (scheme != "http" && scheme != "https"))
    return std::nullopt;
  auto begin = end + 3;
  auto path = std::min(url.find_first_of("/?#\\", begin), url.size());
  if (path == begin)
    return std::nullopt;
  auto port = with_port(url.substr(begin, path - begin), scheme);
  return address{std::move(scheme), std::move(port), url.substr(0, path), url.substr(path, url.find('#', path) - path)};
}

bool has_scheme(std::string_view reference) {
  auto end = reference.find_first_of(":/?#");
  return end != reference.npos && end > 0 && reference[end] == ':';
}

std::string_view folder_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  return path.substr(0, path.rfind('/') + 1);
}

} // namespace

std::string same_origin_url(std::string_view base, std::string_view reference) {
  auto from = parse(base);
  bool is_odd = !is_field_value(reference) || reference.find('\\') != reference.npos;
  if (!from || is_odd)
    return {};
  if (reference.starts_with("//") || has_scheme(reference)) {
    auto whole = has_scheme(reference) ? std::string{reference} : from->scheme + ":" + std::string{reference};
    auto to = parse(whole);
    bool is_same = to && to->scheme == from->scheme && to->host_and_port == from->host_and_port;
    return is_same ? std::string{from->before_path} + (to->path.starts_with('/') ? "" : "/") + std::string{to->path}
                   : std::string{};
  }
  reference = reference.substr(0, reference.find('#'));
  std::string out{from->before_path};
  if (reference.starts_with('/'))
    return out.append(reference);
  auto path = from->path.starts_with('/') ? from->path : std::string_view{"/"};
  if (reference.starts_with('?'))
    return out.append(path.substr(0, path.find('?'))).append(reference);
  return out.append(reference.empty() ? path : folder_of(path)).append(reference);
}

} // namespace http
