#include "cli/models.hpp"

#include "actors/provider_request.hpp"
#include "faults/faulty_models.hpp"
#include "http/client.hpp"
#include "sampling/provider.hpp"

#include <caf/actor_system.hpp>

#include <random>
#include <string>
#include <utility>

namespace cli {

namespace {

std::string how_to_get_one() {
  std::string names;
  for (auto who : sampling::all_providers)
    if (std::string variable = sampling::key_variable(who); !variable.empty())
      names += (names.empty() ? "" : ", ") + variable;
  return "no provider is configured: set one of " + names
         + ", or CODE_EXECUTOR_AI_BASE_URL for a server of your own that speaks OpenAI's chat completions "
           "(docs/sampling.md)";
}

std::string setting_of(sampling::provider who) {
  return std::string{"sampling.allowedModels."} + sampling::name_of(who);
}

/// The client's model is one of any provider's.
std::vector<std::string> all_models(const config::sampling_settings& settings) {
  std::vector<std::string> all;
  for (auto who : sampling::all_providers)
    all.insert(all.end(), settings.allowed_models[who].begin(), settings.allowed_models[who].end());
  return all;
}

/// With faults on what `send` does.
std::function<actors::sent_request(http::client_request, http::client_handlers)>
faulty_sender(faults::faulty_model which,
              std::function<actors::sent_request(http::client_request, http::client_handlers)> send) {
  auto real = [send = std::move(send)](http::client_request request, http::client_handlers handlers) {
    auto sent = send(std::move(request), std::move(handlers));
    return faults::model_exchange{std::move(sent.cancel), std::move(sent.hold)};
  };
  return [faulty = faults::with_faults(std::move(which), std::move(real))](http::client_request request,
                                                                           http::client_handlers handlers) {
    auto sent = faulty(std::move(request), std::move(handlers));
    return actors::sent_request{std::move(sent.cancel), std::move(sent.hold)};
  };
}

/// What it has cost is told to `faults run`.
void count_tokens(sampling::model_listener& of, std::shared_ptr<faults::injector> faults) {
  if (!of.end)
    return;
  of.end = [end = std::move(of.end), faults = std::move(faults)](msg::outcome<msg::model_answer> answer) {
    auto& usage = answer.value.usage;
    if (auto tokens = uint64_t{usage.input} + usage.output; tokens > 0)
      faults->trace()->tokens(tokens);
    end(std::move(answer));
  };
}

sampling::model_route route_to(caf::actor_system& system, asio::io_context& io,
                               const config::sampling_settings& settings, sampling::provider who,
                               const std::shared_ptr<faults::injector>& faults) {
  actors::provider_request_options options;
  options.access = {who, settings.base_url, settings.keys[who], settings.call_timeout};
  options.send =
    [client = std::make_shared<http::client>(io, http::client_options{{}, "code-executor/" CODE_EXECUTOR_VERSION})](
      http::client_request request, http::client_handlers handlers) {
      auto transfer = client->start(std::move(request), std::move(handlers));
      return actors::sent_request{[transfer]() mutable { transfer.cancel(); },
                                  [transfer](bool held) mutable { held ? transfer.pause() : transfer.resume(); }};
    };
  sampling::model_route route;
  route.name = sampling::name_of(who);
  route.model = settings.models[who];
  route.models = settings.allowed_models[who];
  route.models_setting = setting_of(who);
  route.ask = [&system, &io, options, faults](msg::model_request request,
                                              sampling::model_listener listener) -> std::function<void()> {
    auto of_request = options;
    if (faults)
      of_request.send = faulty_sender({sampling::name_of(options.access.who), request.model, io.get_executor(), faults},
                                      std::move(of_request.send));
    of_request.request = std::move(request);
    of_request.listener = std::move(listener);
    if (faults && faults->trace())
      count_tokens(of_request.listener, faults);
    of_request.jitter_seed = std::random_device{}();
    return actors::ask_provider(system, std::move(of_request));
  };
  return route;
}

} // namespace

std::shared_ptr<const sampling::rules> plan_models(caf::actor_system& system, asio::io_context& io,
                                                   const config::sampling_settings& settings,
                                                   std::shared_ptr<faults::injector> faults) {
  auto rules = std::make_shared<sampling::rules>();
  rules->enabled = settings.enabled.value_or(false);
  rules->may_be_asked = settings.enabled.value_or(true);
  rules->limits = {settings.rounds_max, settings.tokens_max};
  rules->client_timeout = settings.client_timeout;
  rules->system_prompts = settings.system_prompts;
  rules->are_prompts_configured = settings.system_prompts != config::sampling_settings{}.system_prompts;
  rules->filter = settings.filter;
  rules->tool_steps = settings.tool_steps_max;
  rules->client_models = all_models(settings);
  rules->client_models_setting = "sampling.allowedModels";
  rules->no_provider = how_to_get_one();
  if (settings.provider)
    rules->provider = route_to(system, io, settings, *settings.provider, faults);
  return rules;
}

} // namespace cli
