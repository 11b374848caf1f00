#include "actors/client_model.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace actors {

using std::chrono::milliseconds;

sampling::route_ptr client_route(const client_model& asked, const sampling::rules& rules, const msg::run_request& run) {
  auto out = std::make_shared<sampling::model_route>();
  out->name = "client";
  out->models = rules.client_models;
  out->models_setting = rules.client_models_setting;
  out->takes_tools = run.abilities.samples_with_tools;
  out->ask = [asked, run = run.id, last = std::make_shared<uint64_t>(0)](msg::model_request request,
                                                                         sampling::model_listener listener) {
    auto* self = asked.self;
    auto& routes = asked.routes;
    msg::call_key key{run, ++*last};
    bool streams = request.stream;
    auto patience = routes->client_patience(
      asked.run_ends ? std::chrono::duration_cast<milliseconds>(asked.run_ends() - self->clock().now())
                     : milliseconds::max());
    self->request(asked.client, patience, msg::sample_atom::value, key, std::move(request))
      .then(
        [listener, streams](msg::outcome<msg::model_answer>& answer) {
          if (streams && answer.ok() && !answer.value.text.empty())
            listener.text(answer.value.text);
          listener.end(std::move(answer));
        },
        [self, client = asked.client, &routes, listener, key, patience](caf::error&) {
          self->send(client, msg::cancel_atom::value, key);
          listener.end(routes->client_timed_out(patience));
        });
    return [self, client = asked.client, key] { self->send(client, msg::cancel_atom::value, key); };
  };
  return out;
}

} // namespace actors
