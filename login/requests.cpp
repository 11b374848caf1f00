#include "login/requests.hpp"

#include "oauth_client/address.hpp"
#include "oauth_client/resource_metadata.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace login {

namespace {

constexpr size_t shown_address_bytes_max = 200;

} // namespace

std::string shown_address(std::string_view url) {
  return text::printable(text::quoted(url.substr(0, url.find_first_of("?#")), shown_address_bytes_max));
}

asio::awaitable<web_answer> ask(environment of, web_question what) {
  web_answer out;
  if (auto why = oauth::refusal_of(what.url, what.server_url); !why.empty()) {
    out.problem = "'" + shown_address(what.url) + "' is not asked: " + why;
    co_return out;
  }
  http::client_request request;
  request.method = std::move(what.method);
  request.url = std::move(what.url);
  request.fields = std::move(what.fields);
  request.body = std::move(what.body);
  request.connect_timeout = request_patience;
  request.first_byte_timeout = request_patience;
  request.total_timeout = request_patience;
  request.response_bytes_max = oauth::metadata_bytes_max;
  auto result = co_await of.client->fetch(std::move(request));
  out.challenge = http::join_headers(result.fields, "www-authenticate");
  if (result.ok()) {
    out.status = result.status;
    out.body = std::move(result.body);
  } else if (!out.challenge.empty()) {
    out.status = result.status; // what it is about is said, whatever became of the body
  } else {
    out.problem = result.message;
  }
  co_return out;
}

} // namespace login
