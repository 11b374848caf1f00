// Which tool a program means: from the last list of a server, from the catalog, or from a server that is started to
// tell it.
#pragma once

#include "actors/servers/generations.hpp"
#include "actors/servers/tool_names.hpp"
#include "actors/servers/tool_reviews.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace servers {

struct resolution_routes {
  /// `then` hears of it from the catalog; nothing: it has not answered.
  std::function<void(const msg::tool_ref&, const msg::tool_filter&,
                     std::function<void(std::optional<msg::outcome<msg::tool_info>>)> then)>
    ask_catalog;
  /// Starts it if need be, as a run knows it. `then` hears the list as it has told it; nothing: it has not answered.
  std::function<void(server&, uint64_t run, std::function<void(std::optional<msg::outcome<msg::listed_tools>>)> then)>
    list_tools;
  /// Of one that runs. `then` hears when it has told the list that it has announced; at once, if it has announced none.
  /// In any case within some seconds.
  std::function<void(server&, std::function<void()> then)> catch_up;
};

/// What can be said at once of what a program has named.
struct first_look {
  /// Configured name of the server, and the tool as it was written; of others than tools/call, the method.
  msg::tool_ref ref;
  msg::fault why;                       ///< that can not be used
  const msg::tool_info* tool = nullptr; ///< of the list of its server
  bool is_known =
    false; ///< else others have to be asked. With neither `why` nor `tool`: it is no tool, and may be asked for

  /// What is known; a name alone, where it is no tool.
  msg::tool_info found() const { return tool ? *tool : msg::tool_info{ref.server, ref.tool, {}, {}}; }
};

class tool_resolution {
public:
  using answer_to = std::function<void(msg::outcome<msg::tool_info>)>;

  /// The references outlive this.
  tool_resolution(generations& all, const tool_names& names, tool_reviews& reviews, resolution_routes routes);

  first_look look(const msg::tool_ref& written, const msg::tool_filter& allowed) const;
  /// Server and tool that are meant, as far as that is known now; nothing of how the server is.
  msg::server_start meant_by(const msg::tool_ref& written) const;
  /// Of what a look has not found.
  void ask(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then);
  /// Nothing is found any more that has to be asked for.
  void end() { is_over_ = true; }

private:
  void ask_catalog(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then);
  void read_list(const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then);
  void catch_up(server& s, const msg::tool_ref& ref, const msg::tool_filter& allowed, answer_to then);
  void when_reviewed(const msg::tool_ref& ref, const msg::tool_filter& allowed, const answer_to& then);
  void find_listed(const server& s, const msg::tool_ref& ref, const msg::tool_filter& allowed,
                   const answer_to& then) const;

  generations& all_;
  const tool_names& names_;
  tool_reviews& reviews_;
  resolution_routes routes_;
  bool is_over_ = false;
};

} // namespace servers
