#include "login/discovery.hpp"

#include "login/requests.hpp"
#include "oauth_client/address.hpp"
#include "oauth_client/resource_metadata.hpp"
#include "text/ascii.hpp"
#include "text/json_parse.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace login {

namespace {

using found_resource = oauth::parsed<std::optional<oauth::resource_metadata>>;
using found_issuer = oauth::parsed<std::optional<oauth::server_metadata>>;

/// Nobody there understands it, and nothing begins with it: a session would be left behind.
constexpr auto harmless_request = R"({"jsonrpc":"2.0","id":"login","method":"ping"})";

web_question question_to(const std::string& url, const target& at) {
  web_question out;
  out.url = url;
  out.server_url = at.url;
  out.fields = {{"Accept", "application/json"}};
  return out;
}

web_question harmless_question(const target& at) {
  web_question out = question_to(at.url, at);
  out.method = "POST";
  out.body = harmless_request;
  out.fields = {{"Accept", "application/json, text/event-stream"}, {"Content-Type", "application/json"}};
  for (auto& each : at.fields)
    if (text::in_small_letters(each.name) != "authorization")
      out.fields.push_back(each);
  return out;
}

/// Sites answer with a page of theirs to whatever they are asked.
bool is_object(const std::string& text) {
  boost::json::value value;
  return text::parse_json(text, text::json_dialect::strict, value).what.empty() && value.is_object();
}

/// There is none, as the other side says it: the next place is looked at.
bool is_missing(const web_answer& answer) {
  bool is_client_error = answer.status >= 400 && answer.status < 500;
  return is_client_error || (answer.status == 200 && !is_object(answer.body));
}

oauth::flow flow_of(const target& at) {
  return at.settings.is_for_machines ? oauth::flow::machine : oauth::flow::person;
}

std::string problem_of(const web_answer& answer) {
  return answer.status == 0 ? answer.problem : "it has answered with HTTP status " + std::to_string(answer.status);
}

/// No value: it has none.
asio::awaitable<found_resource> find_resource(environment of, target at, oauth::challenge told) {
  found_resource out;
  for (auto& url : oauth::resource_metadata_urls(at.url, told)) {
    auto question = question_to(url, at);
    auto answer = co_await ask(of, std::move(question));
    bool is_named = !told.resource_metadata.empty();
    if (is_missing(answer) && !is_named)
      continue;
    if (answer.status != 200 || is_missing(answer)) {
      out.problem = "does not describe itself at '" + shown_address(url) + "': " + problem_of(answer);
      co_return out;
    }
    auto read = oauth::parse_resource_metadata(answer.body, at.url);
    if (read.ok())
      out.value = std::move(read.value);
    else
      out.problem = "describes itself in a way that can not be used: " + read.problem;
    co_return out;
  }
  co_return out;
}

/// No value: it has none. `issuers`: ways to write one and the same.
asio::awaitable<found_issuer> find_issuer(environment of, target at, std::vector<std::string> issuers) {
  found_issuer out;
  auto about = "has an authorization server ('" + shown_address(issuers.front()) + "') that can not be used: ";
  for (auto& url : oauth::server_metadata_urls(issuers.front())) {
    auto question = question_to(url, at);
    auto answer = co_await ask(of, std::move(question));
    if (is_missing(answer))
      continue;
    if (answer.status != 200) {
      out.problem = about + problem_of(answer);
      co_return out;
    }
    auto read = oauth::parse_server_metadata(answer.body, issuers.front(), flow_of(at));
    for (size_t i = 1; i < issuers.size() && !read.ok(); ++i)
      if (auto other = oauth::parse_server_metadata(answer.body, issuers[i], flow_of(at)); other.ok())
        read = std::move(other);
    if (read.ok())
      read.problem = oauth::refusal_of_endpoints(read.value, at.url);
    if (read.ok())
      out.value = std::move(read.value);
    else
      out.problem = about + read.problem;
    co_return out;
  }
  co_return out;
}

/// The one of the last login, if it is still named; else the first.
std::string chosen_issuer(const std::vector<std::string>& named, const std::string& preferred) {
  return std::find(named.begin(), named.end(), preferred) != named.end() ? preferred : named.front();
}

/// As servers of 2025-03-26 have it: they are their own authorization servers, at their root. No value: they say
/// nothing of that.
asio::awaitable<found_issuer> find_own_issuer(environment of, target at) {
  auto known = oauth::default_server_metadata(at.url);
  if (!known)
    co_return oauth::refused<std::optional<oauth::server_metadata>>("has no address of http or https");
  std::vector<std::string> issuers{known->issuer, known->issuer + "/"};
  auto out = co_await find_issuer(of, at, std::move(issuers));
  co_return out;
}

/// It has no description, and may all the same be where that revision has it.
found_issuer assumed_issuer(const target& at) {
  found_issuer out;
  out.value = oauth::default_server_metadata(at.url);
  if (out.value)
    out.problem = oauth::refusal_of_endpoints(*out.value, at.url);
  return out;
}

asio::awaitable<found_issuer> find_named_issuer(environment of, target at, std::string issuer) {
  auto refused = oauth::refusal_of(issuer, at.url);
  if (!refused.empty())
    co_return oauth::refused<std::optional<oauth::server_metadata>>(
      "names '" + shown_address(issuer) + "' as its authorization server, which is not asked: " + refused);
  std::vector<std::string> issuers{issuer};
  auto out = co_await find_issuer(of, at, std::move(issuers));
  if (out.ok() && !out.value)
    out.problem = "has an authorization server ('" + shown_address(issuer) + "') that does not describe itself";
  co_return out;
}

/// Empty: there is none.
asio::awaitable<oauth::parsed<std::string>> find_challenge(environment of, target at) {
  oauth::parsed<std::string> out;
  auto question = harmless_question(at);
  auto answer = co_await ask(of, std::move(question));
  if (answer.status == 0)
    out.problem = "can not be reached: " + answer.problem;
  else if (answer.status == 401)
    out.value = std::move(answer.challenge);
  co_return out;
}

} // namespace

asio::awaitable<oauth::parsed<discovered>> discover(environment of, target at, discovery_hints hints) {
  if (hints.challenge.empty()) {
    auto asked = co_await find_challenge(of, at);
    if (!asked.ok())
      co_return oauth::refused<discovered>(asked.problem);
    hints.challenge = std::move(asked.value);
  }
  discovered out;
  out.challenge = oauth::read_challenge(hints.challenge);
  auto resource = co_await find_resource(of, at, out.challenge);
  if (!resource.ok())
    co_return oauth::refused<discovered>(resource.problem);
  found_issuer issuer;
  if (resource.value) {
    auto chosen = chosen_issuer(resource.value->issuers, hints.issuer);
    issuer = co_await find_named_issuer(of, at, std::move(chosen));
    out.resource = std::move(resource.value->resource);
    out.resource_scopes = std::move(resource.value->scopes);
  } else {
    issuer = co_await find_own_issuer(of, at);
    out.is_assumed = issuer.ok() && !issuer.value;
    if (out.is_assumed)
      issuer = assumed_issuer(at);
    out.resource = oauth::resource_of(at.url);
  }
  if (!issuer.ok())
    co_return oauth::refused<discovered>(issuer.problem);
  out.issuer = std::move(*issuer.value);
  co_return oauth::parsed<discovered>{std::move(out), {}};
}

} // namespace login
