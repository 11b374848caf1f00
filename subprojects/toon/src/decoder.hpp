// Reads the structure: objects, arrays, tables. Every function that gives a bool has stored a problem when it gives
// false.
#pragma once

#include "header.hpp"
#include "lines.hpp"
#include "text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace toon {

/// Cells of a row, or the values of an inline array.
class cell_reader {
public:
  cell_reader(std::string_view text, char separator) : rest_(text), separator_(separator), has_more_(!text.empty()) {}

  bool has_more() const { return has_more_; }
  const char* at() const { return rest_.data(); }
  size_t taken() const { return taken_; }

  /// There are more.
  std::string_view next() {
    ++taken_;
    auto end = find_unquoted(rest_, {&separator_, 1});
    auto out = trimmed(rest_.substr(0, end));
    has_more_ = end != rest_.npos;
    rest_.remove_prefix(has_more_ ? end + 1 : rest_.size());
    return out;
  }

private:
  std::string_view rest_;
  char separator_;
  bool has_more_;
  size_t taken_ = 0;
};

class decoder {
public:
  /// The text outlives it.
  decoder(std::string_view text, const decode_options& options, boost::json::storage_ptr storage);

  bool root(boost::json::value& out);
  const std::string& problem() const { return problem_; }
  /// In the text, or its end.
  const char* problem_at() const { return problem_at_; }

private:
  /// Where headers without a key may stand.
  enum class place : uint8_t { root, field, list_item };
  /// Of the line that opens a container, and of the container.
  struct scope {
    size_t depth;
    size_t nesting; ///< the root's is 1
  };
  class span;

  // decoder.cpp: objects and lists
  bool root_value(boost::json::value& out);
  bool root_primitive(boost::json::value& out);
  bool fields(size_t depth, size_t nesting, boost::json::object& out);
  bool field(std::string_view content, size_t depth, size_t nesting, boost::json::object& out);
  bool field_value(std::string_view token, scope s, boost::json::value& out);
  bool list(scope s, boost::json::array& out);
  bool list_item(std::string_view content, scope s, boost::json::value& out);

  // decoder_tables.cpp: what headers begin
  bool with_header(const header& h, scope s, const char* at, boost::json::value& out);
  bool inline_array(const header& h, boost::json::array& out);
  bool table(const header& h, scope s, boost::json::array& out);
  bool entries(const header& h, scope s, boost::json::object& out);
  bool row(const header& h, std::string_view content, boost::json::value& out);
  bool row_fields(const std::vector<table_field>& fields, cell_reader& cells, boost::json::object& out);

  // decoder_parts.cpp: what all of them need
  bool read_header_at(place where, std::string_view content, header_reading& out);
  bool primitive(std::string_view token, boost::json::value& out);
  bool key(std::string_view token, std::string& out);
  bool insert(std::string_view key, const char* at, boost::json::value&& value, boost::json::object& out);
  bool missing_colon(std::string_view content);
  bool has_length(const header& h, size_t found, std::string_view what, const char* at);
  bool may_nest(size_t nesting, const char* at);
  bool charge(size_t bytes, const char* at);
  /// Of the lines in a scope: strictly one more than its own; lenient: that of the first one.
  size_t content_depth(scope s) const;
  /// The line ahead if it is at this depth. Null: it is at a lower one, or the text ends; a deeper one is a problem.
  const text_line* next_at(size_t depth);
  bool take(text_line& out);
  bool is_strict() const { return options_.checks == checks::strict; }
  bool fail(std::string what, const char* at);

  std::string_view text_;
  decode_options options_;
  boost::json::storage_ptr storage_;
  line_reader lines_;
  size_t open_spans_ = 0; ///< headers around the current line that have had a line of their own already
  size_t value_bytes_ = 0;
  std::string problem_;
  const char* problem_at_ = nullptr;
};

/// From the first line of a header's scope to its last: no blank line may be in it.
class decoder::span {
public:
  explicit span(decoder& d) : decoder_(d) {}
  span(const span&) = delete;
  span& operator=(const span&) = delete;
  ~span() { decoder_.open_spans_ -= is_open_; }

  void open() {
    decoder_.open_spans_ += !is_open_;
    is_open_ = true;
  }

private:
  decoder& decoder_;
  bool is_open_ = false;
};

} // namespace toon
