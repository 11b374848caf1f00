#include "actors/bridge/issuer_keys.hpp"

#include "messages/document.hpp"
#include "oauth_client/address.hpp"
#include "text/digest.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

namespace bridge {

namespace json = boost::json;
using std::chrono::steady_clock;

namespace {

/// Between two looks at the keys: tokens that anybody can make up are no reason for more.
constexpr std::chrono::seconds refresh_pause{30};
/// Keys that are still named are looked at again after this: an issuer takes one back by not naming it any more.
constexpr std::chrono::minutes keys_age_max{15};
constexpr std::chrono::milliseconds issuer_patience{10'000};
/// Of tokens that count, so that each is verified once. Clients have one or two.
constexpr size_t known_tokens_max = 1'000;
constexpr size_t shown_subject_bytes_max = 64;

int64_t now_s() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

/// Where an issuer describes itself: RFC 8414, 3.1, and OpenID Connect Discovery, 4.
std::array<std::string, 3> metadata_urls(const std::string& issuer) {
  auto host = issuer.find("://");
  auto slash = host == issuer.npos ? issuer.npos : issuer.find('/', host + 3);
  auto origin = issuer.substr(0, slash);
  auto path = slash == issuer.npos ? std::string{} : issuer.substr(slash);
  if (path.ends_with('/'))
    path.pop_back();
  return {origin + "/.well-known/oauth-authorization-server" + path,
          origin + "/.well-known/openid-configuration" + path, origin + path + "/.well-known/openid-configuration"};
}

} // namespace

issuer_keys::issuer_keys(asio::any_io_executor executor, std::shared_ptr<http::client> client,
                         json_web_token::rules wanted)
  : executor_(std::move(executor)),
    client_(std::move(client)),
    wanted_(std::move(wanted)) {}

void issuer_keys::refresh() {
  bool was_just_done = fetched_ != steady_clock::time_point{} && steady_clock::now() - fetched_ < refresh_pause;
  if (is_fetching_ || was_just_done)
    return;
  is_fetching_ = true;
  fetched_ = steady_clock::now();
  asio::co_spawn(executor_, fetch(),
                 [keep = shared_from_this()](const std::exception_ptr&) { keep->is_fetching_ = false; });
}

token_bearer issuer_keys::bearer_of(std::string_view token) {
  if (steady_clock::now() - fetched_ > keys_age_max)
    refresh();
  auto digest = text::sha256_of(token);
  if (auto known = known_.find(digest); known != known_.end()) {
    if (known->second.expires_s > now_s())
      return known->second;
    known_.erase(known);
  }
  auto verified = json_web_token::verify(token, keys_, wanted_, std::chrono::system_clock::now());
  if (verified.what == json_web_token::verdict::unknown_key)
    refresh();
  if (verified.what != json_web_token::verdict::valid)
    return {{}, 0, std::move(verified.why)};
  token_bearer out{text::quoted(verified.subject, shown_subject_bytes_max), verified.expires_s, {}};
  if (out.name != verified.subject) // two subjects are never one
    out.name += " " + text::sha256_of(verified.subject).substr(0, 16);
  remember(std::move(digest), out);
  return out;
}

void issuer_keys::remember(std::string digest, const token_bearer& bearer) {
  if (known_.size() >= known_tokens_max)
    std::erase_if(known_, [now = now_s()](auto& each) { return each.second.expires_s <= now; });
  if (known_.size() < known_tokens_max)
    known_.emplace(std::move(digest), bearer);
}

/// Keys that were there count until new ones are.
asio::awaitable<void> issuer_keys::fetch() {
  auto url = co_await find_keys_url();
  if (url.empty())
    co_return;
  auto text = co_await get(url);
  std::string problem;
  auto keys = json_web_token::key_set::parse(text, problem);
  if (!problem.empty()) {
    spdlog::warn("the keys of the issuer {} can not be used: {}", wanted_.issuer, problem);
    co_return;
  }
  if (keys.left_out() != keys_.left_out())
    spdlog::info(
      "{} of the keys of the issuer {} are not used: they are not for signatures, of another kind than RSA of "
      "2,048 to 4,096 bits and elliptic curves, or behind the first {} that can be; tokens by them are refused",
      keys.left_out(), wanted_.issuer, json_web_token::keys_max);
  keys_ = std::move(keys);
  known_.clear(); // a key may have been taken back
}

/// Empty: it does not say. Who describes another issuer is none.
asio::awaitable<std::string> issuer_keys::find_keys_url() {
  for (auto& url : metadata_urls(wanted_.issuer)) {
    auto text = co_await get(url);
    auto parsed = msg::document::parse(text);
    auto* about = parsed.ok() ? parsed.value.value().if_object() : nullptr;
    auto* issuer = about ? about->if_contains("issuer") : nullptr;
    auto* keys = about ? about->if_contains("jwks_uri") : nullptr;
    bool is_it = issuer && issuer->is_string() && issuer->get_string() == wanted_.issuer;
    if (is_it && keys && keys->is_string() && oauth::refusal_of(keys->get_string(), wanted_.issuer).empty())
      co_return std::string{keys->get_string()};
  }
  spdlog::warn("the issuer {} does not say where its keys are (jwks_uri in its metadata, https)", wanted_.issuer);
  co_return std::string{};
}

/// Empty: it was not to be had.
asio::awaitable<std::string> issuer_keys::get(std::string url) {
  http::client_request request;
  request.url = std::move(url);
  request.fields = {{"Accept", "application/json"}};
  request.total_timeout = issuer_patience;
  request.response_bytes_max = json_web_token::key_set_bytes_max;
  auto result = co_await client_->fetch(std::move(request));
  if (!result.ok())
    spdlog::info("the issuer {} was asked: {}", wanted_.issuer, result.message);
  bool is_there = result.ok() && result.status == 200;
  co_return is_there ? std::move(result.body) : std::string{};
}

std::string protected_resource_text(const issuer_keys& issuer) {
  json::array servers;
  servers.push_back(json::value(issuer.issuer()));
  json::array methods;
  methods.push_back(json::value("header"));
  return text::to_text(json::value(json::object{{"resource", issuer.audience()},
                                                {"authorization_servers", std::move(servers)},
                                                {"bearer_methods_supported", std::move(methods)},
                                                {"resource_name", "code-executor"}}));
}

} // namespace bridge
