// What a program asks of models, and the tools that those models want.
#include "actors/execution.hpp"
#include "actors/slices.hpp"
#include "proxy/allowlist.hpp"
#include "proxy/name_patterns.hpp"
#include "proxy/names.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// The session answers at once. Only so that the wait is finite.
constexpr std::chrono::seconds session_end_max{2};

/// What a pattern seems to name where no such server is configured, or none that the run may use: the connector says so. Empty: it names none.
std::string server_as_written(const std::string& pattern) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto parts = proxy::split(fixed.size() < pattern.size() ? fixed + "*" : fixed, {});
  return parts ? parts->server : std::string{};
}

size_t held_by(const msg::sample_request& question) {
  auto bytes = question.system.size();
  for (auto& m : question.messages)
    bytes += m.text.size();
  return bytes * 3; // as question, as request, and as what is sent
}

/// Of the tools that the run may use, those that a model may get. Tools of a server come one after the other. Another thread may have it when the run
/// and all that belongs to it is gone.
class choice {
public:
  choice(std::shared_ptr<const proxy::allowlist> filter, msg::tool_list tools) : filter_(std::move(filter)), from_(std::move(tools)) {}

  bool go_on(const slice& turn) {
    for (; at_ < from_.size(); ++at_) {
      if (turn.is_over())
        return false;
      auto& tool = from_[at_];
      if (!of_server_ || tool.server != server_) {
        server_ = tool.server;
        of_server_.emplace(filter_->patterns(), server_);
      }
      if (of_server_->match(tool.name))
        chosen.push_back(std::move(tool));
    }
    return true;
  }

  msg::tool_list chosen;

private:
  std::shared_ptr<const proxy::allowlist> filter_;
  msg::tool_list from_;
  size_t at_ = 0;
  std::string server_; ///< that of_server_ is of
  std::optional<proxy::patterns_of_server> of_server_;
};

/// errc::none: they are not too many.
fault check_size(const std::vector<std::string>& patterns) {
  auto bytes = proxy::bytes_of_those_with_stars(patterns);
  if (bytes <= msg::limits::patterns_bytes_max)
    return {};
  return {errc::invalid_argument, "llm: the patterns with a star in 'tools' must be at most " + std::to_string(msg::limits::patterns_bytes_max)
                                    + " bytes in all, not " + std::to_string(bytes)};
}

} // namespace

/// errc::none: there is a session.
fault execution_state::begin_sampling() {
  if (sampling_)
    return {};
  if (!options_.sampling)
    return {errc::not_allowed, "Sampling not enabled by this server"};
  if (auto why = may_sample(*options_.sampling, request_); why.code != errc::none)
    return why;
  sampling_session_options o{*options_.sampling, caf::actor_cast<msg::execution_actor>(self_), listener_, options_.audit, time_.end(),
                             options_.offload};
  sampling_ = self_->spawn(sampling_session, std::move(o), request_);
  return {};
}

void execution_state::handle(proxy::guest_sample& sample) {
  if (!admit(sample.id))
    return;
  auto id = sample.id;
  if (auto why = begin_sampling(); why.code != errc::none)
    return answer(id, std::move(why));
  auto bytes = held_by(sample.request);
  hold(bytes);
  auto over = [this, id, bytes](msg::outcome<msg::document> result) {
    let_go(bytes);
    answer(id, std::move(result));
  };
  self_->request(sampling_, time_left(), msg::sample_atom::value, std::move(sample.request))
    .then([over](msg::outcome<msg::document>& result) { over(std::move(result)); },
          [over](caf::error&) {
            over(fault{errc::internal, "llm: the question was not answered"});
          });
}

void execution_state::handle(proxy::guest_sample_stream& stream) {
  if (!sampling_)
    return reply(stream.id, fault{errc::invalid_argument, "llm: there is no such stream, or it has ended"});
  if (stream.stops) {
    self_->send(sampling_, msg::cancel_atom::value, stream.stream);
    return reply(stream.id, msg::document{boost::json::object{}});
  }
  if (!admit(stream.id))
    return;
  self_->request(sampling_, time_left(), msg::next_atom::value, stream.stream)
    .then([this, id = stream.id](msg::outcome<msg::document>& result) { answer(id, std::move(result)); },
          [this, id = stream.id](caf::error&) {
            answer(id, fault{errc::internal, "llm: the stream was not answered"});
          });
}

/// The same path as a call of the program: allowlist, policy, validation, limits, tracker, record.
caf::result<msg::outcome<msg::document>> execution_state::call_for_model(msg::tool_ref& tool, msg::document& arguments) {
  if (ended_)
    return msg::outcome<msg::document>{fault{errc::cancelled, "the run has ended"}};
  auto id = model_call_first + model_calls_++;
  auto promise = self_->make_response_promise<msg::outcome<msg::document>>();
  for_models_.emplace(id, promise);
  begin_call({id, std::move(tool), std::move(arguments)});
  return promise;
}

/// Those of all servers whose tools are known; a server that a pattern names is started if need be.
caf::result<msg::outcome<msg::tool_list>> execution_state::tools_for_model(const std::vector<std::string>& patterns) {
  if (auto why = check_size(patterns); why.code != errc::none)
    return msg::outcome<msg::tool_list>{std::move(why)};
  auto g = std::make_shared<tools_wanted>();
  g->patterns = patterns;
  g->promise = self_->make_response_promise<msg::outcome<msg::tool_list>>();
  self_->request(options_.connector, time_left(), msg::servers_atom::value, request_.allowed)
    .then(
      [this, g](msg::server_list& usable) {
        std::vector<std::string> names;
        for (auto& s : usable)
          names.push_back(std::move(s.name));
        g->servers = std::move(names);
        g->filter = std::make_shared<const proxy::allowlist>(msg::tool_filter{false, g->patterns, {}}, g->servers);
        search_for_model(g);
      },
      [g](caf::error&) {
        g->promise.deliver(msg::outcome<msg::tool_list>{fault{errc::internal, "llm: the tools could not be found"}});
      });
  return g->promise;
}

void execution_state::search_for_model(const std::shared_ptr<tools_wanted>& g) {
  std::set<std::string> named; // the empty name: of any server
  for (auto& pattern : g->patterns)
    named.insert(proxy::server_in(pattern, g->servers).value_or(server_as_written(pattern)));
  g->outstanding = named.size();
  auto finish = [g](fault why) {
    if (g->problem.code == errc::none)
      g->problem = std::move(why);
    if (--g->outstanding > 0)
      return;
    msg::tool_list tools;
    for (auto& [name, tool] : g->found)
      tools.push_back(std::move(tool));
    if (tools.empty() && g->problem.code == errc::none)
      g->problem = {errc::not_allowed, "llm: none of the tools that this run may use is named by 'tools'"};
    g->promise.deliver(tools.empty() ? msg::outcome<msg::tool_list>{std::move(g->problem)} : msg::outcome<msg::tool_list>{std::move(tools)});
  };
  for (auto& server : named)
    self_->request(options_.connector, time_left(), msg::search_atom::value, msg::tool_query{"", server, 0, request_.allowed})
      .then(
        [this, g, finish](msg::outcome<msg::tool_matches>& matches) {
          auto problem = matches.ok() && !matches.value.failures.empty() ? std::move(matches.value.failures.front()) : std::move(matches.error);
          choose_for_model(g, std::move(matches.value.tools),
                           [finish, problem](const fault& why) { finish(why.code == errc::none ? problem : why); });
        },
        [finish](caf::error&) {
          finish({errc::internal, "llm: the tools could not be found"});
        });
}

/// Thousands of tools held against a thousand patterns take long, and one server may have both from somebody hostile.
void execution_state::choose_for_model(const std::shared_ptr<tools_wanted>& g, msg::tool_list tools, std::function<void(fault)> done) {
  auto all = std::make_shared<choice>(g->filter, std::move(tools));
  auto add = [g, all, done = std::move(done)](fault why) {
    for (auto& tool : all->chosen)
      g->found.emplace(std::pair{tool.server, tool.name}, std::move(tool));
    done(std::move(why));
  };
  auto is_wanted = [goes_on = std::weak_ptr{goes_on_}] { return !goes_on.expired(); };
  do_in_slices(self_, options_.offload, {[all](const slice& turn) { return all->go_on(turn); }, is_wanted}, add);
}

/// The run has ended; what was asked and used is part of its report.
void execution_state::end_sampling(msg::guest_output output) {
  goes_on_.reset();
  auto without = msg::sampling_report{};
  without.enabled = options_.sampling && may_sample(*options_.sampling, request_).code == errc::none;
  if (!sampling_)
    return report(std::move(output), std::move(without));
  auto held = std::make_shared<msg::guest_output>(std::move(output));
  self_->request(sampling_, session_end_max, msg::finish_atom::value)
    .then([this, held](msg::sampling_report& used) { report(std::move(*held), std::move(used)); },
          [this, held, without](caf::error&) { report(std::move(*held), without); });
}

} // namespace actors
