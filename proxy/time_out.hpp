// What a run that is out of time was waiting for, in words for the client that reads why it failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

/// A call without an answer.
struct waiting_call {
  std::string name;         ///< full
  std::string server;       ///< empty: not known
  uint64_t waited_ms = 0;   ///< since the program made it
  uint64_t starting_ms = 0; ///< for so long the server has been starting; 0: it runs, or that is not known
  std::string printed;      ///< by the server instead of an answer, shortened; empty: nothing
  uint64_t unread_ms = 0;   ///< for so long the server has read nothing; 0: it reads, or that is not known
  std::string tool = {};    ///< of that server; empty: not known
  size_t unsent = 0;        ///< calls of the run that the server has not been sent, as it has enough to do
};

struct waited_for {
  std::vector<waiting_call> calls;
  size_t others = 0;        ///< requests without an answer that are no calls: searches, questions to models
  bool has_begun = true;    ///< the program
  bool has_network = false; ///< it may have waited for hosts, of which nothing is known here
};

/// "12.3 s".
std::string seconds_text(uint64_t ms);

/// " has not read its requests for 12.3 s".
std::string unread_words(uint64_t unread_ms);
/// "; the server has not read its requests for 12.3 s"; of 0: empty.
std::string unread_text(uint64_t unread_ms);

/// Of calls with the same name, the oldest counts; the first of at most `calls_named_max` names.
inline constexpr size_t calls_named_max = 5;

/// One line for what ran out, one for what was open. `most_ms`: what a run may ask for.
std::string time_out_text(uint64_t timeout_ms, uint64_t most_ms, const waited_for& open);

} // namespace proxy
