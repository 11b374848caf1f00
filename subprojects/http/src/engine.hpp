// RESTinio, and nothing of it in sight: it takes long to compile.
#pragma once

#include "guarded_connection.hpp"
#include "outlet.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace http {

class engine {
public:
  /// A request has come on that connection: guarded_connection::take_request() has it.
  using taker = std::function<void(const std::shared_ptr<guarded_connection>&, std::unique_ptr<outlet>)>;

  /// Connections hold `take`, and may outlive the engine.
  static std::unique_ptr<engine> make(taker take);
  virtual ~engine() = default;
  /// Serves it until its end.
  virtual void adopt(std::shared_ptr<guarded_connection> connection) = 0;
};

} // namespace http
