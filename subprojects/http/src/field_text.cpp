#include "http/field_text.hpp"

#include <algorithm>
#include <cctype>

namespace http {

namespace {

constexpr size_t printable_bytes_max = 300;

} // namespace

std::string host_of(std::string_view url) {
  auto scheme = url.find("://");
  auto rest = scheme == url.npos ? url : url.substr(scheme + 3);
  rest = rest.substr(0, rest.find_first_of("/?#\\"));
  if (auto at = rest.rfind('@'); at != rest.npos)
    rest.remove_prefix(at + 1);
  auto end = rest.starts_with('[') ? rest.find(']') + 1 : rest.find(':');
  return std::string{rest.substr(0, std::min(end, rest.size()))};
}

bool is_web(std::string_view url) { return url.starts_with("https://") || url.starts_with("http://"); }

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c))
           || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f); });
}

std::string printable(std::string_view text) {
  std::string out{text.substr(0, printable_bytes_max)};
  std::replace_if(
    out.begin(), out.end(), [](char c) { return c < ' ' || c == 0x7f; }, '?');
  return out;
}

} // namespace http
