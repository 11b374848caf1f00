// What a server prints on its stdout that is no message: how much of it is logged, and what is told of it to those who
// wait for an answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace child {

/// Of one server. Lines are quoted already: short, and printable.
class non_protocol_lines {
public:
  /// Counts it. What is logged of it; empty: since the last message there were so many that no more are shown. `where`:
  /// as mcp::connection::voice() has it.
  std::string logged(const std::string& quote, std::string_view where);
  /// Whether a line is one, or was meant as one, and some call may be told from it.
  static bool may_be_message(std::string_view line) { return line.starts_with('{') || line.starts_with('['); }
  /// It is no answer to any call. True: it is the first since the last message.
  bool keep(std::string quote);

  /// Another process is being started.
  void process_started() { *this = {}; }
  void message_came();
  /// No call is open any more that one of the lines may have been meant for.
  void nobody_waits() { last_.clear(); }

  /// Since the last message there was none.
  bool is_empty() const { return first_.empty(); }
  /// The last one that came while calls were open, or the server was being started; empty: none.
  const std::string& last() const { return last_; }
  /// The same as the end of a sentence, and that of the first line since the last message; empty: there is none.
  std::string last_text() const { return text_of(last_); }
  std::string first_text() const { return text_of(first_); }

private:
  static std::string text_of(const std::string& quote) { return quote.empty() ? "" : "; it printed: " + quote; }

  size_t count_ = 0;  ///< since the last message
  std::string first_; ///< since the last message
  std::string last_;
};

} // namespace child
