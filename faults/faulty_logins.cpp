#include "faults/faulty_logins.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace faults {

namespace {

constexpr uint16_t status_unauthorized = 401, status_forbidden = 403;

/// Within the quotes of a challenge.
std::string quotable(std::string text) {
  std::replace_if(
    text.begin(), text.end(), [](unsigned char c) { return c == '"' || c == '\\' || c < 0x20U || c > 0x7eU; }, '\'');
  return text;
}

http::client_result refusal_by(const rule& by) {
  bool is_of_scope = by.what == kind::wrong_scope;
  std::string challenge = is_of_scope ? "Bearer error=\"insufficient_scope\"" : "Bearer error=\"invalid_token\"";
  if (is_of_scope && !by.scope.empty())
    challenge += ", scope=\"" + quotable(by.scope) + "\"";
  challenge += ", error_description=\"" + quotable(by.message) + "\"";
  http::client_result out;
  out.status = is_of_scope ? status_forbidden : status_unauthorized;
  out.fields = {{"content-type", "text/plain"}, {"www-authenticate", std::move(challenge)}};
  out.body = by.message;
  out.was_sent = true;
  return out;
}

} // namespace

std::function<std::optional<http::client_result>(const mcp::request_subject& about)> login_faults(faulty_server of) {
  return [of = std::move(of)](const mcp::request_subject& about) -> std::optional<http::client_result> {
    if (!moment_of(about.method))
      return std::nullopt;
    auto by = of.faults->choose(of.name, about, moment::login);
    if (!by.what.fault)
      return std::nullopt;
    std::string kind{facts_of(by.what.fault->what).name};
    if (auto* trace = of.faults->trace())
      trace->hit(kind);
    if (of.told)
      of.told({about.call, by.name, by.what.number, kind});
    return refusal_by(*by.what.fault);
  };
}

} // namespace faults
