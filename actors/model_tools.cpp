#include "actors/model_tools.hpp"

#include "actors/slices.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

caf::result<msg::outcome<msg::tool_list>> model_tools_state::find(std::vector<std::string>& patterns) {
  promise_ = self_->make_response_promise<msg::outcome<msg::tool_list>>();
  self_->request(options_.connector, options_.answer_max, msg::servers_atom::value, options_.allowed)
    .then(
      [this, patterns = std::move(patterns)](msg::server_list& usable) {
        std::vector<std::string> names;
        for (auto& s : usable)
          names.push_back(std::move(s.name));
        wanted_ = {patterns, std::move(names)};
        for (auto& server : wanted_.begin_searches())
          search(server);
      },
      [this](caf::error&) {
        answer(fault{errc::internal, "llm: the tools could not be found"});
      });
  return promise_;
}

void model_tools_state::search(const std::string& server) {
  self_
    ->request(options_.connector, options_.answer_max, msg::search_atom::value,
              msg::tool_query{"", server, 0, options_.allowed})
    .then(
      [this](msg::outcome<msg::tool_matches>& matches) {
        auto problem = matches.ok() && !matches.value.failures.empty() ? std::move(matches.value.failures.front())
                                                                       : std::move(matches.error);
        choose(std::move(matches.value.tools), std::move(problem));
      },
      [this](caf::error&) {
        end_search({errc::internal, "llm: the tools could not be found"});
      });
}

void model_tools_state::choose(msg::tool_list tools, fault problem) {
  auto choice = std::make_shared<run::tool_choice>(wanted_.choose(std::move(tools)));
  auto chosen = [this, choice, problem = std::move(problem)](const fault& why) {
    wanted_.add(choice->take());
    end_search(why.code == errc::none ? problem : why);
  };
  auto step = [choice](const slice& turn) { return choice->go_on([&turn] { return turn.is_over(); }); };
  do_in_slices(self_, options_.offload, {step, [goes_on = options_.run_goes_on] { return !goes_on.expired(); }},
               chosen);
}

void model_tools_state::end_search(fault why) {
  if (wanted_.end_search(std::move(why)))
    answer(wanted_.take());
}

void model_tools_state::answer(msg::outcome<msg::tool_list> tools) {
  promise_.deliver(std::move(tools));
  self_->quit();
}

msg::model_tools_actor::behavior_type model_tools_state::make_behavior(model_tools_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg&) { self_->quit(); });
  self_->monitor(options_.execution);
  options_.execution = nullptr; // which holds this one by its question
  return {
    [this](msg::tools_atom, std::vector<std::string>& patterns) { return find(patterns); },
  };
}

msg::model_tools_actor::behavior_type model_tools(msg::model_tools_actor::stateful_pointer<model_tools_state> self,
                                                  model_tools_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
