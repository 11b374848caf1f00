// Which of a server's tools may be used: the catalog holds every list against what was approved. Until it has answered,
// the list before counts.
#pragma once

#include "actors/servers/generations.hpp"
#include "process/background.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace servers {

/// What comes of the tools of a server when the catalog can not hold them against what was approved.
enum class unreviewed_tools : uint8_t { taken, refused };

struct review_routes {
  /// `then` hears what of the list may be used; nothing: nothing was answered.
  std::function<void(const msg::server_entry&, const msg::listed_tools&,
                     std::function<void(std::optional<msg::outcome<msg::reviewed_tools>>)> then)>
    ask;
  /// Gives what other threads call when the names of the list in that review are in order: in_order() of that number
  /// then hears of it.
  std::function<std::function<void(msg::fault)>(uint64_t number)> by_message;
};

/// A list that is held against what was approved.
struct review {
  uint64_t number = 0;
  msg::server_entry entry;
  msg::listed_tools list;        ///< as the server has told it
  reviewed_list usable;          ///< what comes of it, until that is taken
  bool is_lost = false;          ///< the catalog could not say what of it may be used, and it is not used
  std::vector<std::string> held; ///< once it is reviewed: tools that may not be used
  std::vector<std::function<void()>> then;
};

class tool_reviews {
public:
  /// `all` outlives this. Names of long lists are put in order on another thread, if there is one.
  tool_reviews(generations& all, unreviewed_tools rule, process::background_work offload, review_routes routes);
  tool_reviews(const tool_reviews&) = delete;
  tool_reviews& operator=(const tool_reviews&) = delete;
  ~tool_reviews();

  /// The server has told these. What is in `then` of the review is called when it has ended.
  std::shared_ptr<review> begin(const server& s, msg::listed_tools tools);
  /// The last one of that server that goes on. Null: none does.
  std::shared_ptr<review> of(const server& s) const;
  void in_order(uint64_t number, const msg::fault& problem);
  /// Tools that the catalog has not seen are not used: what comes of a list that it has not answered for is an error.
  bool are_watched() const { return rule_ == unreviewed_tools::refused; }
  /// The program ends: a catalog that does not answer any more is no error.
  void end() { is_over_ = true; }

private:
  void reviewed(const std::shared_ptr<review>& of, msg::outcome<msg::reviewed_tools> answer);
  void unanswered(const std::shared_ptr<review>& of);
  void put_in_order(const std::shared_ptr<review>& of);
  void end(const std::shared_ptr<review>& of);

  generations& all_;
  unreviewed_tools rule_;
  process::background_work offload_;
  review_routes routes_;
  std::vector<std::shared_ptr<review>> open_;
  uint64_t last_number_ = 0;
  bool is_over_ = false;
};

} // namespace servers
