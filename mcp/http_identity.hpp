// What the requests of a connection say of who we are.
#pragma once

#include "mcp/http_authorization.hpp"
#include "mcp/http_exchange.hpp"
#include "mcp/http_session.hpp"
#include "mcp/secret_mask.hpp"

#include <asio/awaitable.hpp>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mcp {

class http_identity {
public:
  /// `source`: null: the headers of the entry say all that there is to say. `mask`: of the secrets, and from the first
  /// token on of those as well. Session and mask outlive it.
  http_identity(std::shared_ptr<http_authorization> source, http_session& session, std::vector<std::string> secrets,
                secret_mask& mask)
    : source_(std::move(source)),
      session_(session),
      secrets_(std::move(secrets)),
      mask_(mask) {}

  /// All requests from now on say it, as far as it is known.
  asio::awaitable<void> renew();
  /// Of a request that was refused for it (401 or 403). `said`: by it: others may say another thing by now.
  asio::awaitable<authorization_advice> refused(std::shared_ptr<http_exchange> exchange, said_authorization said);
  /// Of one that was let in.
  asio::awaitable<void> accepted(said_authorization said);
  /// As http_authorization has it.
  std::string login_wanted() const { return source_ ? source_->login_wanted() : std::string{}; }

private:
  std::shared_ptr<http_authorization> source_;
  http_session& session_;
  std::vector<std::string> secrets_;
  secret_mask& mask_;
  std::deque<std::string> tokens_; ///< the latest first: a server may repeat those before
};

} // namespace mcp
