// How many servers run at once: one that is to be started gets a slot, or the one of the server that was not used for
// the longest time.
#pragma once

#include "actors/servers/generations.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace servers {

struct slot_routes {
  std::function<time_point()> now;
  /// Stops it if it is not in use; `then` hears whether it has no process any more, and starts none unasked.
  std::function<void(server&, std::function<void(bool is_stopped)> then)> stop_if_idle;
};

class server_slots {
public:
  using answer_to = std::function<void(msg::fault)>;

  /// `all` outlives this. At most `max` run, those of configurations before not counted when they are started.
  server_slots(generations& all, uint32_t max, slot_routes routes);

  /// `then` gets errc::none when the server runs or may be started; at once if it can. Whatever starts a server asks
  /// here first.
  void take(server& s, answer_to then);
  /// It says that it has no process. What was sent to it before may start it again: it has its slot until it has
  /// answered whether that is so.
  void has_ended(server& s);
  /// No more servers are started.
  void end() { is_over_ = true; }

private:
  /// A server wants a slot that no other one could give up yet.
  struct search {
    std::string wanted;
    uint64_t number = 0;                 ///< of that server; a successor of the same name is another one
    std::vector<std::string> candidates; ///< that may give up theirs, the longest unused last
    answer_to then;
  };

  size_t taken() const;
  server* numbered(uint64_t number) const;
  void go_on(const std::shared_ptr<search>& search);
  void ask_for_slot(server& of, std::function<void()> then);
  void answered(uint64_t number, const std::string& name);

  generations& all_;
  uint32_t max_;
  slot_routes routes_;
  /// Who wants to use servers that may lose their slots, by their numbers.
  std::map<uint64_t, std::vector<answer_to>> undecided_;
  bool is_over_ = false;
};

} // namespace servers
