#include "tests/simulation/models.hpp"

#include "actors/provider_request.hpp"
#include "faults/model_answers.hpp"

#include <caf/all.hpp>

#include <memory>
#include <string>
#include <utility>

namespace simulation {

namespace {

constexpr const char* provider_name = "anthropic";
constexpr uint16_t status_ok = 200, status_overloaded = 529;

/// One request over HTTP.
class exchange : public std::enable_shared_from_this<exchange> {
public:
  exchange(world& in, std::string model, http::client_handlers to)
    : world_(in),
      model_(std::move(model)),
      to_(std::move(to)) {}

  void begin() {
    auto fate = world_.is_calm ? 0 : world_.luck.below(8);
    if (fate == 1)
      return; // the asker gives up at some time
    if (fate == 2)
      return later([this] { end(0, http::client_failure::connect); });
    auto status = fate == 3 ? status_overloaded : status_ok;
    body_ = fate == 3 ? faults::model_error("overloaded_error", "Overloaded")
                      : faults::model_answer(provider_name, model_, "hello");
    later([this, status] { tell_head(status); });
    later([this, status, is_cut = fate == 4] { tell_body(status, is_cut); });
  }

  void cancel() {
    later([this] { end(0, http::client_failure::cancelled); });
    is_cancelled_ = true;
  }

private:
  void later(std::function<void()> act) {
    world_.later(line_, [me = shared_from_this(), act = std::move(act)] { act(); });
  }

  void tell_head(uint16_t status) {
    if (!is_over_ && !is_cancelled_ && to_.on_head)
      to_.on_head(status, {});
  }

  void tell_body(uint16_t status, bool is_cut) {
    if (is_over_ || is_cancelled_)
      return;
    auto half = body_.size() / 2;
    to_.on_data(std::string_view{body_}.substr(0, half));
    later([this, status, half, is_cut] {
      if (!is_over_ && !is_cancelled_ && !is_cut)
        to_.on_data(std::string_view{body_}.substr(half));
      end(status, is_cut ? http::client_failure::cut : http::client_failure::none);
    });
  }

  void end(uint16_t status, http::client_failure how) {
    if (std::exchange(is_over_, true))
      return;
    http::client_result result;
    result.status = status;
    result.failure = how;
    result.was_sent = how != http::client_failure::connect;
    result.message = how == http::client_failure::none ? "" : "it is simulated";
    std::exchange(to_, {}).on_end(std::move(result));
  }

  world& world_;
  line line_ = world_.new_line();
  std::string model_;
  http::client_handlers to_;
  std::string body_;
  bool is_over_ = false, is_cancelled_ = false;
};

faults::model_sender sender(world& in, std::string model) {
  return [&in, model = std::move(model)](const http::client_request&, http::client_handlers to) {
    auto one = std::make_shared<exchange>(in, model, std::move(to));
    one->begin();
    return faults::model_exchange{[one] { one->cancel(); }, [](bool) {}};
  };
}

} // namespace

sampling::model_route route_to_provider(caf::actor_system& system, world& in, injected_faults& injected) {
  sampling::model_route route;
  route.name = provider_name;
  route.model = "m";
  route.models = {"m"};
  route.ask = [&](msg::model_request request, sampling::model_listener listener) {
    count_question(in, request.messages.back().text);
    actors::provider_request_options options;
    options.send = [send = injected.put_on(provider_name, request.model, sender(in, request.model))](
                     http::client_request asked, http::client_handlers handlers) {
      auto sent = send(std::move(asked), std::move(handlers));
      return actors::sent_request{std::move(sent.cancel), std::move(sent.hold)};
    };
    options.request = std::move(request);
    options.listener = std::move(listener);
    options.jitter_seed = in.luck.next();
    return actors::ask_provider(system, std::move(options));
  };
  return route;
}

} // namespace simulation
