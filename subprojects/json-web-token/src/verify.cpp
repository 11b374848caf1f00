#include "json_web_token/verify.hpp"

#include "base64url.hpp"
#include "key.hpp"
#include "text/json_parse.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace json_web_token {

namespace json = boost::json;

namespace {

using parts = std::array<std::string_view, 3>;

std::optional<parts> parts_of(std::string_view token) {
  auto first = token.find('.');
  auto second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos)
    return std::nullopt;
  parts out{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1)};
  return std::any_of(out.begin(), out.end(), [](auto& part) { return part.empty(); }) ? std::nullopt
                                                                                      : std::optional{out};
}

std::optional<json::object> object_of(std::string_view coded) {
  auto text = decode_base64url(coded);
  json::value value;
  if (!text || !text::parse_json(*text, text::json_dialect::strict, value).what.empty() || !value.is_object())
    return std::nullopt;
  return std::move(value.get_object());
}

/// A NumericDate (RFC 7519, 2). Nothing: there is none, or it is no number.
std::optional<int64_t> time_in(const json::object& claims, std::string_view name) {
  constexpr double most = 1e12; // 30,000 years
  auto* found = claims.if_contains(name);
  boost::system::error_code ec;
  auto number = found && found->is_number() ? found->to_number<double>(ec) : std::nan("");
  if (!(number >= 0 && number <= most))
    return std::nullopt;
  return static_cast<int64_t>(number);
}

bool has_audience(const json::object& claims, std::string_view wanted) {
  auto* audience = claims.if_contains("aud");
  auto is_it = [&](const json::value& one) { return one.is_string() && one.get_string() == wanted; };
  if (!audience)
    return false;
  return audience->is_array() ? std::any_of(audience->get_array().begin(), audience->get_array().end(), is_it)
                              : is_it(*audience);
}

verified refused(std::string why) { return {verdict::refused, std::move(why), {}, 0}; }

/// Of a token whose signature is right.
verified judge(const json::object& claims, const rules& wanted, std::chrono::system_clock::time_point now) {
  auto now_s = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (text_in(claims, "iss") != wanted.issuer)
    return refused("the token is of another issuer");
  if (!has_audience(claims, wanted.audience))
    return refused("the token is for another audience");
  auto expires = time_in(claims, "exp");
  if (!expires || *expires + clock_leeway.count() <= now_s)
    return refused(expires ? "the token has expired" : "the token does not say when it expires");
  auto begins = time_in(claims, "nbf");
  if (claims.contains("nbf") && (!begins || *begins - clock_leeway.count() > now_s))
    return refused("the token does not count yet");
  auto subject = text_in(claims, "sub");
  if (subject.empty())
    return refused("the token does not say whose it is");
  return {verdict::valid, {}, std::move(subject), *expires + clock_leeway.count()};
}

bool is_signed_by(std::string_view token, const key& by) {
  auto& cjose = load_cjose();
  cjose_err ignored{};
  auto* jws = cjose.jws_import(token.data(), token.size(), &ignored);
  if (!jws)
    return false;
  bool is_right = cjose.jws_verify(jws, by.raw(), &ignored);
  cjose.jws_release(jws);
  return is_right;
}

} // namespace

bool is_token(std::string_view text) { return text.size() <= token_bytes_max && parts_of(text).has_value(); }

std::string problem_of_library() { return load_cjose().problem; }

key_set key_set::parse(std::string_view jwks, std::string& problem) {
  key_set out;
  problem = problem_of_library();
  json::value value;
  auto wrong = jwks.size() > key_set_bytes_max ? text::json_problem{"it is too large", 0}
                                               : text::parse_json(jwks, text::json_dialect::strict, value);
  auto* object = value.if_object();
  auto* keys = object ? object->if_contains("keys") : nullptr;
  if (problem.empty() && (!wrong.what.empty() || !keys || !keys->is_array()))
    problem = "the set of keys is no JSON object with 'keys'" + (wrong.what.empty() ? "" : ": " + wrong.what);
  if (!problem.empty())
    return out;
  for (auto& each : keys->get_array())
    if (auto usable = each.is_object() && out.keys_.size() < keys_max ? key::of(each.get_object()) : nullptr)
      out.keys_.push_back(std::move(usable));
  out.left_out_ = keys->get_array().size() - out.keys_.size();
  if (out.keys_.empty())
    problem = "the set of keys has none for signatures by RSA of 2,048 to 4,096 bits or by an elliptic curve";
  return out;
}

verified verify(std::string_view token, const key_set& keys, const rules& wanted,
                std::chrono::system_clock::time_point now) {
  if (auto problem = problem_of_library(); !problem.empty())
    return {verdict::unavailable, std::move(problem), {}, 0};
  auto three = token.size() <= token_bytes_max ? parts_of(token) : std::nullopt;
  auto head = three ? object_of(three->front()) : std::nullopt;
  auto claims = three ? object_of((*three)[1]) : std::nullopt;
  if (!head || !claims)
    return refused("the token is no JSON Web Token");
  if (head->contains("crit"))
    return refused("the token wants an extension that is not known here");
  auto algorithm = text_in(*head, "alg");
  auto id = text_in(*head, "kid");
  bool is_known = false;
  size_t tried = 0;
  for (auto& each : keys.keys()) {
    if ((!id.empty() && !each->id().empty() && id != each->id()) || !each->fits(algorithm))
      continue;
    if (++tried > keys_tried_max)
      break;
    is_known = is_known || id == each->id();
    if (is_signed_by(token, *each))
      return judge(*claims, wanted, now);
  }
  if (is_known)
    return refused("the signature of the token is wrong");
  return {verdict::unknown_key, "the token is signed by a key that its issuer does not name", {}, 0};
}

} // namespace json_web_token
