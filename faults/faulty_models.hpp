// Questions to providers of models on which faults are injected, beneath what tries them again.
#pragma once

#include "faults/injector.hpp"
#include "http/client.hpp"

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace faults {

/// A request that is on its way: see http::client_handle.
struct model_exchange {
  std::function<void()> cancel;
  std::function<void(bool held)> hold;
};
/// As http::client::start.
using model_sender = std::function<model_exchange(http::client_request, http::client_handlers)>;

struct faulty_model {
  std::string provider; ///< as settings call it
  std::string model;
  asio::any_io_executor executor;
  std::shared_ptr<injector> faults; ///< never null
};

/// Each request of it is held against the rules with `on` `model`.
model_sender with_faults(faulty_model which, model_sender real);

} // namespace faults
