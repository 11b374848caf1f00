// A recording that is read: which answer a question had.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "recording/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace recording {

/// Of a file; what is larger is no recording that a person makes.
inline constexpr uint64_t file_bytes_max = uint64_t{1} << 31;

/// The first line of a file. The fault says what is wrong with it; else its salt.
msg::outcome<std::string> read_head(std::string_view line);
std::string first_line(std::string_view salt);

/// A line that is longer is parsed by whoever wants it, on another thread.
inline constexpr size_t parsed_here_bytes_max = size_t{64} << 10;

/// An answer as it was.
struct recorded_answer {
  msg::document line;              ///< the whole one, an object; null: it is long
  std::string_view long_line = {}; ///< of the file, for as long as that is held
  /// "result", "error" and the like; null: it has none.
  const boost::json::value* member(std::string_view name) const;
  /// How it ended without an answer; empty: there was one, or none ever came.
  std::string lost() const;
  std::chrono::microseconds took() const;
};

/// Of one file, which is held in memory. Lines that make no sense, such as the last one of a process that was killed,
/// are counted and left out.
class recorded {
public:
  /// The fault says why the file is no recording.
  static msg::outcome<recorded> read(const std::string& path);

  const std::set<std::string>& servers() const { return servers_; }
  size_t exchanges() const { return places_.size(); }
  size_t broken_lines() const { return broken_; }
  /// That were not written, as far as the file says.
  uint64_t lost_lines() const { return lost_; }
  /// What a reader has to know of that, a sentence each.
  std::vector<std::string> gaps() const;
  /// The next answer to that question: those that were given to it, in their order, and the last one again and again.
  /// Where no question was equal, one counts that differs only in what the file does not show: the question has
  /// `[redacted]` there, as an answer of the recording had it, or what was there (see digest_of()). A file that does
  /// not tell that, of an earlier version or written by a person, takes anything there, which is logged once. Nothing:
  /// it was never asked.
  std::optional<recorded_answer> answer(const question& asked, msg::spelling text_is = msg::spelling::ours);
  /// What was asked instead: its parameters, of the question that is most like it; empty: nothing of that server and
  /// method (of a tool: that tool). Takes up to 50 ms; may be called on any thread.
  std::string nearest(const question& asked) const;
  /// Of a line of an exchange, which may have none in it.
  std::string key_in(const boost::json::object& line) const;
  /// All exchanges in their order.
  template <class Each>
  void for_each(Each each) const {
    for (auto& place : places_)
      if (auto line = line_at(place); line.value().is_object())
        each(line.value().get_object());
  }

  /// All lines that make sense, in their order, with those that are no exchanges: notifications, faults.
  template <class Each>
  void for_each_line(Each each) const {
    for (size_t at = 0; at < text_.size();) {
      auto end = std::min(text_.find('\n', at), text_.size());
      if (auto line = line_at({at, end - at}); line.value().is_object())
        each(line.value().get_object());
      at = end + 1;
    }
  }

private:
  struct place {
    size_t at = 0, bytes = 0;
  };
  struct answers {
    std::vector<size_t> places; ///< numbers in places_
    size_t next = 0;            ///< in `places`: it and those behind it have not been looked at
    std::optional<size_t> last; ///< number in places_, of the one that was given last
  };

  /// A question in which something is redacted.
  struct shown_question {
    size_t place = 0;                 ///< number in places_
    bool tells = false;               ///< what was redacted, by `digests`
    std::vector<std::string> digests; ///< in order
    bool may_be(const std::vector<std::string>& redacted) const;
  };
  /// That differ only in that, in their order.
  struct shown_questions {
    std::vector<shown_question> all;
    std::map<std::string, size_t> next; ///< by the key of what asks; empty: of all that have nothing real there
    const shown_question* next_of(const std::string& who, const std::vector<std::string>& redacted);
  };

  void index();
  void index_line(place where);
  /// Numbers in places_ of what was asked of that server by that method, and of that tool.
  const std::vector<size_t>& asked_of(const question& asked) const;
  /// The first of those in which something is redacted, as far as parsed_bytes_max goes. False: there is none.
  bool index_without_secrets(const question& asked, const std::vector<size_t>& places);
  /// The place of the next answer to what differs only in what is redacted.
  std::optional<size_t> place_by_shown(const question& asked);
  std::string_view text_at(const place& where) const { return std::string_view{text_}.substr(where.at, where.bytes); }
  msg::document line_at(const place& where, msg::spelling text_is = msg::spelling::ours) const;
  /// Nothing: the line, which is short, is no object.
  std::optional<recorded_answer> answer_at(const place& where, msg::spelling text_is) const;
  std::optional<recorded_answer> next_of(answers& of, msg::spelling text_is);

  std::string text_;
  std::string salt_;
  std::vector<place> places_;
  std::unordered_map<std::string, answers> by_key_;
  std::map<std::string, shown_questions> by_shown_; ///< as it is shown, without secrets
  std::map<std::string, bool> shown_of_;            ///< servers, methods and tools that were looked at: any?
  std::unordered_map<std::string, std::vector<size_t>> by_kind_; ///< by server, method and tool
  std::set<std::string> servers_;
  size_t broken_ = 0;
  uint64_t lost_ = 0;
  bool has_told_ = false; ///< that the file does not say what was redacted
};

} // namespace recording
