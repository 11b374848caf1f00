#include "sandbox/egress/host_name.hpp"

#include "sandbox/egress/address.hpp"
#include "text/percent.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <idn2.h>
#include <memory>

namespace egress {

namespace {

using msg::errc;
using msg::fault;
using msg::outcome;

/// Of a host as written; a name in ASCII has 253 at most (RFC 1035), other scripts and percent-encoding need more.
constexpr size_t host_bytes_max = 1'024;
constexpr size_t name_chars_max = 253;
constexpr size_t label_chars_max = 63;
constexpr size_t printable_chars_max = 80;

/// Names that lead to this machine, to the local network or to a metadata service, themselves and all below them:
/// RFC 6761, 6762, 7686, 8375, ICANN's private-use and never-delegated names, and what routers and clouds use.
constexpr std::string_view local_names[] = {
  "localhost", "localdomain", "local", "internal",  "intranet", "private", "corp",
  "home",      "mail",        "lan",   "home.arpa", "onion",    "invalid",
};

fault malformed(std::string_view text, std::string_view why) {
  return {errc::invalid_argument, "'" + printable(text) + "' is no host name: " + std::string{why}};
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// UTS 46, as browsers do it: full-width and circled digits exec digits, ideographic full stops exec dots. Empty: no
/// name.
std::string to_ascii(const std::string& text) {
  char* out = nullptr;
  if (idn2_to_ascii_8z(text.c_str(), &out, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
    return {};
  std::unique_ptr<char, void (*)(void*)> owner{out, idn2_free};
  return out;
}

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

std::string_view problem_of_name(std::string_view name) {
  if (name.size() > name_chars_max)
    return "it is longer than 253 characters";
  if (name.ends_with('.'))
    return "it has an empty part";
  while (!name.empty()) {
    auto label = name.substr(0, name.find('.'));
    if (label.empty())
      return "it has an empty part";
    if (label.size() > label_chars_max)
      return "a part of it is longer than 63 characters";
    if (label.front() == '-' || label.back() == '-')
      return "a part of it begins or ends with '-'";
    if (!std::all_of(label.begin(), label.end(), is_name_char))
      return "only letters, digits, '-', '_' and dots may be in it";
    name.remove_prefix(std::min(label.size() + 1, name.size()));
  }
  return {};
}

bool is_or_is_below(std::string_view name, std::string_view parent) {
  return name == parent || (name.ends_with(parent) && name[name.size() - parent.size() - 1] == '.');
}

} // namespace

std::string host::text() const { return literal && literal->is_v6() ? "[" + name + "]" : name; }

std::string with_port(const host& h, uint16_t port) { return h.text() + ":" + std::to_string(port); }

outcome<host> parse_host(std::string_view text) {
  if (text.empty())
    return malformed(text, "it is empty");
  if (text.size() > host_bytes_max || text.find('\0') != text.npos)
    return malformed(text, "it is too long, or has a zero byte in it");
  bool is_v6 = text.find(':') != text.npos; // there, '%' begins a zone
  bool encoded = !is_v6 && text.find('%') != text.npos;
  auto ascii = encoded ? text::percent_decoded(text) : std::string{text};
  if (ascii.find('\0') != ascii.npos)
    return malformed(text, "it has a zero byte in it");
  if (!is_ascii(ascii))
    ascii = to_ascii(ascii);
  auto spelling = literal_address(ascii);
  if (spelling.what == host_spelling::kind::ambiguous)
    return malformed(text, "some programs take it for an IP address; write the address in the usual way");
  if (spelling.what == host_spelling::kind::address)
    return host{spelling.address.to_string(), spelling.address};
  if (encoded || ascii.empty())
    return malformed(text, encoded ? "percent-encoding may not be in it"
                                   : "it does not follow the rules for international names (UTS 46)");
  std::transform(ascii.begin(), ascii.end(), ascii.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (ascii.ends_with('.'))
    ascii.pop_back();
  if (ascii.empty())
    return malformed(text, "it is empty");
  if (auto problem = problem_of_name(ascii); !problem.empty())
    return malformed(text, problem);
  return host{std::move(ascii), {}};
}

std::string why_never_allowed(const host& h) {
  if (h.literal) {
    auto why = why_not_public(*h.literal);
    return why.empty() ? std::string{} : h.name + " is " + std::string{why};
  }
  for (auto parent : local_names)
    if (is_or_is_below(h.name, parent))
      return "'" + h.name + "' is a name of local networks";
  if (h.name.find('.') == h.name.npos)
    return "'" + h.name + "' has no dot, which only names in local networks lack";
  return {};
}

std::optional<uint16_t> parse_port(std::string_view text) {
  unsigned value = 0;
  auto* end = text.data() + text.size();
  auto [stop, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || stop != end || value == 0 || value > 65'535 || text.size() > 5)
    return {};
  return static_cast<uint16_t>(value);
}

std::string printable(std::string_view text) {
  std::string out{text.substr(0, printable_chars_max)};
  for (auto& c : out)
    c = c < ' ' || c > '~' ? '?' : c;
  return text.size() > printable_chars_max ? out + "..." : out;
}

} // namespace egress
