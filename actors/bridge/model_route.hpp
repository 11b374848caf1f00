// The route to a provider: its HTTP on the program's own loop, tried again where that helps.
#pragma once

#include "actors/sampling/rules.hpp"
#include "http/client.hpp"
#include "sampling/provider.hpp"
#include "sampling/retry.hpp"

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace bridge {

struct provider_access {
  sampling::provider who = sampling::provider::anthropic;
  std::string base_url;                      ///< empty: the provider's own
  std::string key;                           ///< empty: none is sent
  std::chrono::milliseconds timeout{30'000}; ///< of one question, all tries together
  sampling::retry_bounds retries{};
};

/// Only `ask`; the rest of the route is for its owner to fill in.
sampling::model_route make_provider_route(const asio::any_io_executor& executor, std::shared_ptr<http::client> client,
                                          provider_access access);

} // namespace bridge
