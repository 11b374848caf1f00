// Searches: what the catalog finds, and servers that are started because a question names them.
#pragma once

#include "actors/servers/generations.hpp"
#include "actors/servers/tool_names.hpp"
#include "messages/catalog.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace servers {

struct search_routes {
  std::function<void(const msg::tool_query&, std::function<void(msg::outcome<msg::catalog_found>)> then)> ask_catalog;
  /// Starts it if need be. `then` hears its list, or why there is none; nothing: it has not answered in that time.
  std::function<void(server&, std::chrono::milliseconds patience,
                     std::function<void(std::optional<msg::outcome<msg::listed_tools>>)> then)>
    list_tools;
  /// The catalog has lost what that server has told.
  std::function<void(const server&)> tell_again;
  /// `then` hears when the catalog has what that server has told last: a search may overtake a list on its way there.
  std::function<void(const server&, std::function<void()> then)> when_reviewed;
};

class server_search {
public:
  using answer_to = std::function<void(msg::outcome<msg::tool_matches>)>;

  /// The references outlive this.
  server_search(generations& all, const tool_names& names, search_routes routes);

  void begin(msg::tool_query query, answer_to then);
  /// Nothing more is started.
  void end() { is_over_ = true; }

private:
  /// One that waits for the servers that it had to start.
  struct search {
    msg::tool_query query;
    answer_to then;
    std::vector<std::string> connected;
    std::vector<msg::fault> failures;
    size_t outstanding = 0;
    bool has_started = false;    ///< the servers that the question names
    bool has_told_again = false; ///< what the catalog had lost
  };

  std::vector<msg::fault> refused_in(const msg::tool_query& query) const;
  void ask(const std::shared_ptr<search>& s);
  void answer(const std::shared_ptr<search>& s, msg::catalog_found found);
  bool tell_again(const std::shared_ptr<search>& s, const std::vector<std::string>& not_indexed);
  void is_told(const std::shared_ptr<search>& s, const std::string& name);
  std::vector<std::string> servers_to_start(search& s, const msg::catalog_found& found) const;
  void start_named(const std::shared_ptr<search>& s, const msg::catalog_found& found);

  generations& all_;
  const tool_names& names_;
  search_routes routes_;
  bool is_over_ = false;
};

} // namespace servers
