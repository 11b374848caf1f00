// Finds the tools that a model may get for one question of a program, and ends.
#pragma once

#include "actors/background.hpp"
#include "actors/run/wanted_tools.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/timespan.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>
#include <string>
#include <vector>

namespace actors {

struct model_tools_options {
  msg::connector_actor connector;
  msg::execution_actor execution; ///< ends with it
  msg::tool_filter allowed;       ///< of the run
  background_work offload;
  caf::timespan answer_max{};      ///< how long each answer of the connector may take
  std::weak_ptr<bool> run_goes_on; ///< gone: no run waits for what is done bit by bit
};

class model_tools_state {
public:
  static inline const char* name = "model_tools";

  explicit model_tools_state(msg::model_tools_actor::pointer self) : self_(self) {}
  msg::model_tools_actor::behavior_type make_behavior(model_tools_options options);

private:
  caf::result<msg::outcome<msg::tool_list>> find(std::vector<std::string>& patterns);
  void search(const std::string& server);
  void choose(msg::tool_list tools, msg::fault problem);
  void end_search(msg::fault why);
  void answer(msg::outcome<msg::tool_list> tools);

  msg::model_tools_actor::pointer self_;
  model_tools_options options_;
  run::wanted_tools wanted_;
  caf::typed_response_promise<msg::outcome<msg::tool_list>> promise_;
};

msg::model_tools_actor::behavior_type model_tools(msg::model_tools_actor::stateful_pointer<model_tools_state> self,
                                                  model_tools_options options);

} // namespace actors
