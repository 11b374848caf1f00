// The answer to an HTTP request, as its client sees it, and how often it was given: twice is once too often.
#pragma once

#include "http/server.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace test {

class recorded_exchange : public http::exchange {
public:
  void answer(http::response whole) override {
    if (answers++ == 0)
      head = std::move(whole);
  }
  void begin(http::response first) override {
    ++begins;
    text = std::exchange(first.body, {});
    head = std::move(first);
  }
  void write(std::string piece) override { text += piece; }
  void end() override { ++ends; }
  void abort() override { ++aborts; }
  size_t unsent_bytes() const override { return unsent; }
  void when_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
  void when_sent(std::function<void()>) override {}

  /// Its client closes the connection.
  void leave() {
    if (gone_)
      std::exchange(gone_, {})();
  }
  /// What was sent since the last call.
  std::string take() { return std::exchange(text, {}); }

  int answers = 0, begins = 0, ends = 0, aborts = 0;
  http::response head;
  std::string text; ///< of the stream
  size_t unsent = 0;

private:
  std::function<void()> gone_;
};

} // namespace test
