// The way of one answer to its client: RESTinio's, for whoever is to know nothing of it.
#pragma once

#include <functional>
#include <string>

namespace http {

class outlet {
public:
  enum class part {
    middle,
    last,       ///< the next request may come
    last_of_all ///< the connection is closed after it
  };
  enum class outcome { taken, lost };

  virtual ~outlet() = default;
  /// One at a time. `then` is called once, from the loop, never from inside this call.
  virtual void send(std::string bytes, part which, std::function<void(outcome)> then) = 0;
};

} // namespace http
