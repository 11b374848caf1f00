// An answer while it is read, whole or piece by piece. What the bytes of a provider say is never trusted to be small or
// of the right type.
#pragma once

#include "messages/sampling.hpp"
#include "sampling/provider.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sampling {

class answer_builder {
public:
  void add_text(std::string_view text);
  /// A tool use begins. `key` tells its pieces from those of others; one that is open already stays as it is, gaining
  /// what it lacked.
  void open_use(int64_t key, std::string_view id, std::string_view name);
  /// JSON text of its arguments, or a piece of it. Without an open use: ignored.
  void add_arguments(int64_t key, std::string_view piece);
  /// The use with its arguments at once.
  void add_use(std::string_view id, std::string_view name, msg::document input, msg::document extra);
  void set_model(std::string_view name);
  void set_input_tokens(uint32_t tokens) { input_ = tokens; }
  void set_output_tokens(uint32_t tokens) { output_ = tokens; }
  /// The provider said why the answer ends; the first reason counts.
  void set_stop(msg::stop_reason reason);
  /// Where a part of the answer should be is something else, such as null.
  void set_malformed() { malformed_ = true; }
  /// Nothing more belongs to the answer.
  void close() { closed_ = true; }

  const std::string& text() const { return answer_.text; }
  bool has_stop() const { return has_stop_; }
  /// Neither text nor a use of a tool came.
  bool is_empty() const { return answer_.text.empty() && answer_.uses.empty(); }
  bool is_closed() const { return closed_; }
  /// Over a bound of an answer; nothing more was added.
  bool too_large() const { return too_large_; }

  /// Of an answer that fails: its text and the arguments of its tools, for what they cost, and what was told of that.
  msg::model_answer so_far() const;
  /// The answer, or a fault: nothing of it was there (an empty text is something), it is too large, it is malformed, it
  /// wants tools and names none, or the arguments of a tool are no JSON object. Beside a fault: so_far().
  msg::outcome<msg::model_answer> finish(provider who);

private:
  struct open_arguments {
    int64_t key = 0;
    std::string text;
    bool is_text = true; ///< else the use has its input already
  };

  bool takes(size_t bytes);
  std::string problem_of_nothing() const;
  msg::outcome<msg::model_answer> useless(provider who, const std::string& what) const;
  std::string unique_id(std::string_view id) const;
  open_arguments* find(int64_t key);

  msg::model_answer answer_;
  std::vector<open_arguments> arguments_; ///< one for each of answer_.uses
  bool has_text_ = false;                 ///< also an empty one
  std::optional<uint32_t> input_;
  std::optional<uint32_t> output_;
  size_t bytes_ = 0;
  size_t refused_bytes_ = 0; ///< that passed the bound
  bool has_stop_ = false;
  bool closed_ = false;
  bool too_large_ = false;
  bool malformed_ = false;
};

/// Uses without an id of their own get one that begins so.
inline constexpr std::string_view made_id_prefix = "use-";

} // namespace sampling
