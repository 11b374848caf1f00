// What runs may ask of models, and who answers: as it is configured.
#pragma once

#include "actors/sampling/answer_room.hpp"
#include "content_filter/filter.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/sampling.hpp"
#include "sampling/budget.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sampling {

/// Hears of one question, on the main thread and never from within the call that asks.
struct model_listener {
  std::function<void(std::string)> text; ///< new text of the answer; only if the request streams
  /// Once, and nothing after it. Beside a fault, the answer is what came before it; `times_asked` 0: the question never
  /// left.
  std::function<void(msg::outcome<msg::model_answer>)> end;
  /// Not once any more: what `times_asked` would be if the question were given up now.
  std::function<void(uint32_t times)> asked = [](uint32_t) {};
  /// Where what comes of the answer is counted and read. Null: it is not counted, and read at once.
  std::shared_ptr<answer_place> place{};
};

/// Who answers.
struct model_route {
  std::string name;                ///< "client", or the provider's
  std::string model;               ///< of questions that name none; empty: the route chooses
  std::vector<std::string> models; ///< that may be named
  std::string models_setting;      ///< where that list comes from
  bool takes_tools = true;
  /// Asks; what it returns gives the question up, and is not called after the end.
  std::function<std::function<void()>(msg::model_request, model_listener)> ask;
};
using route_ptr = std::shared_ptr<const model_route>;

/// Of all runs; from the settings.
struct rules {
  bool enabled = false;     ///< for runs that do not say
  bool may_be_asked = true; ///< false: not even for runs that want it
  budget_limits limits;
  uint32_t answer_tokens = 1'000;                   ///< of questions that do not say
  std::chrono::milliseconds client_timeout{30'000}; ///< of one question to the client's model
  std::vector<std::string> system_prompts;
  bool are_prompts_configured = false; ///< then the run's own prompt has to be one of them
  content_filter::content_policy filter;
  uint32_t tool_steps = 8; ///< questions of one llm.think, at most
  std::vector<std::string> client_models;
  std::string client_models_setting;
  std::optional<model_route> provider; ///< none is configured
  std::string no_provider;             ///< what to do about it
};

/// errc::none: that run may ask, and a model can answer.
msg::fault may_sample(const rules& all, const msg::run_request& run);

/// What is configured, or what the run wishes if that is less.
budget_limits limits_of(const rules& all, const msg::sampling_options& wish);

} // namespace sampling
