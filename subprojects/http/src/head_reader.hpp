// The head of one request, by http_parser.
#pragma once

#include "head_rules.hpp"

#include <http_parser.h>

#include <string>
#include <string_view>

namespace http {

class head_reader {
public:
  enum class state { reading, complete, too_large, broken };

  head_reader();
  head_reader(const head_reader&) = delete;
  head_reader& operator=(const head_reader&) = delete;

  /// How many bytes belong to the head: all, unless it is complete or broken. `bytes` is not empty.
  size_t take(std::string_view bytes);
  state at() const { return state_; }
  /// Of `broken`: a few words.
  std::string_view problem() const { return problem_; }
  /// Of `complete`, once.
  raw_head take_head();

private:
  static http_parser_settings callbacks();
  static head_reader& self(http_parser* parser) { return *static_cast<head_reader*>(parser->data); }
  static int on_target(http_parser* parser, const char* at, size_t length) noexcept;
  static int on_name(http_parser* parser, const char* at, size_t length) noexcept;
  static int on_value(http_parser* parser, const char* at, size_t length) noexcept;
  static int on_end(http_parser* parser) noexcept;

  bool has_folded_line(std::string_view bytes);
  void fail(std::string_view problem);

  http_parser parser_{};
  state state_ = state::reading;
  std::string_view problem_;
  raw_head head_;
  bool in_value_ = true; ///< the next piece of a name begins another header
  bool ended_ = false;
  char last_ = 0;
};

} // namespace http
