// What a program asks besides tool calls: searches, descriptions, servers, memory, outputs, models. Where all runs wait
// in one line, a few of a run are asked at a time, and the rest waits here.
#pragma once

#include "actors/resilience/shared_turns.hpp"
#include "actors/resilience/turns.hpp"
#include "actors/run/notes.hpp"
#include "actors/run/open_requests.hpp"
#include "messages/artifacts.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/memory.hpp"
#include "messages/sampling.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "proxy/guest_frames.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

/// Who is asked. What is the run's, as what it may use, is added there. `then` is called once, later or at once, and
/// never after the requests are gone.
struct request_routes {
  /// For a list, or a definition, of which all runs together have a few at a time: see shared_turns::enter().
  std::function<resilience::shared_turns::turn(std::function<void()> begin)> enter_large;
  std::function<void(msg::tool_query, std::function<void(msg::outcome<msg::tool_matches>)> then)> search;
  std::function<void(msg::tool_ref, std::function<void(msg::outcome<msg::tool_info>)> then)> describe;
  std::function<void(std::function<void(msg::outcome<std::vector<msg::server_status>>)> then)> list_servers;
  std::function<void(msg::memory_request, std::function<void(msg::outcome<msg::document>)> then)> remember;
  std::function<void(msg::artifact_query, std::function<void(msg::outcome<msg::artifact_answer>)> then)> read_output;
  /// Models may be asked from now on: errc::none, or why they may not.
  std::function<msg::fault()> begin_sampling;
  std::function<bool()> is_sampling;
  std::function<void(msg::sample_request, std::function<void(msg::outcome<msg::document>)> then)> ask_model;
  std::function<void(uint64_t stream, std::function<void(msg::outcome<msg::document>)> then)> next_piece;
  std::function<void(uint64_t stream)> leave_stream;
  /// Makes it on another thread: the answer, or why it could not be made.
  std::function<void(std::function<msg::outcome<msg::document>()> make,
                     std::function<void(msg::outcome<msg::document>)> then)>
    elsewhere;
};

/// Whose memory it is: of the client of that name; the number of its connection is no part of that. The folder is added
/// where the store is.
std::string memory_client(const std::string& client_name);

class guest_requests {
public:
  /// Requests of one run that the catalog has at a time, and the store of memory: a list of all tools takes tens of
  /// milliseconds.
  static constexpr size_t searches_at_once_max = 8;
  static constexpr size_t remembering_at_once_max = 8;
  static constexpr size_t descriptions_at_once_max = 8, server_lists_at_once_max = 1;
  /// Tools that a search has found, described at once; more than that on another thread: of 20,000 it takes a second.
  static constexpr size_t described_at_once_max = 50;

  /// The references outlive this.
  guest_requests(open_requests& requests, notes& told, request_routes others)
    : requests_(requests),
      notes_(told),
      others_(std::move(others)) {}

  void take(proxy::guest_search search);
  void take(proxy::guest_schema schema);
  void take(proxy::guest_servers servers);
  void take(proxy::guest_memory memory);
  void take(proxy::guest_output_request output);
  /// The first one begins sampling.
  void take(proxy::guest_sample sample);
  void take(proxy::guest_sample_stream stream);
  /// The run has ended: what was not begun is not asked any more.
  void stop();

private:
  void search(proxy::guest_search search);
  void searched(uint64_t id, msg::tool_detail detail, msg::outcome<msg::tool_matches> found);
  void described(const proxy::guest_schema& asked, msg::outcome<msg::tool_info> tool);
  void enter_large(uint64_t id, std::function<void()> begin);

  open_requests& requests_;
  notes& notes_;
  request_routes others_;
  resilience::turns searches_{searches_at_once_max};
  resilience::turns descriptions_{descriptions_at_once_max};
  resilience::turns server_lists_{server_lists_at_once_max};
  resilience::turns remembering_{remembering_at_once_max};
  std::map<uint64_t, resilience::shared_turns::turn> large_; ///< of requests that have no answer yet
  bool is_over_ = false;
};

} // namespace actors::run
