#include "toon/encode.hpp"

#include "columns.hpp"
#include "text.hpp"
#include "tokens.hpp"

#include <algorithm>

namespace toon {

namespace {

namespace json = boost::json;

class encoder {
public:
  explicit encoder(const encode_options& options) : options_(options) {
    options_.indent_spaces = std::clamp(options.indent_spaces, indent_spaces_min, indent_spaces_max);
  }

  encoded root(const json::value& value) && {
    if (is_primitive(value))
      primitive(value);
    else if (may_nest(1))
      root_container(value);
    if (problem_.empty())
      return {std::move(out_), {}};
    return {{}, std::move(problem_)};
  }

private:
  // `level` is that of a line, `nesting` that of a container: the root's is 1. A function that goes into a container
  // asks may_nest() before.

  void root_container(const json::value& value) {
    if (value.is_array() && value.get_array().empty())
      out_ += "[]";
    else if (value.is_array())
      array_with_header(value.get_array(), 0, 1);
    else if (auto columns = columns_of(value.get_object(), options_.depth_max); !columns.empty())
      entries(value.get_object(), columns, 0, 1);
    else
      fields(value.get_object(), 0, 1);
  }

  void fields(const json::object& object, size_t level, size_t nesting) {
    for (auto& [key, value] : object) {
      if (!begin_line(level))
        return;
      field(key, value, level, nesting);
    }
  }

  /// Its line has begun. `nesting` is that of the object around it.
  void field(json::string_view key, const json::value& value, size_t level, size_t nesting) {
    append_key_of(key);
    if (is_primitive(value)) {
      out_ += ": ";
      primitive(value);
    } else if (!may_nest(nesting + 1)) {
      return;
    } else if (value.is_array()) {
      if (value.get_array().empty())
        out_ += ": []";
      else
        array_with_header(value.get_array(), level, nesting + 1);
    } else if (auto columns = columns_of(value.get_object(), options_.depth_max); !columns.empty()) {
      entries(value.get_object(), columns, level, nesting + 1);
    } else {
      out_ += ':';
      fields(value.get_object(), level + 1, nesting + 1);
    }
  }

  /// What follows the key, or stands at the root.
  void array_with_header(const json::array& array, size_t level, size_t nesting) {
    auto columns = columns_of(array, options_.depth_max);
    if (columns.empty())
      return array_without_table(array, level, nesting);
    header_length(array.size(), "");
    header_columns(columns);
    out_ += ':';
    for (auto& row : array) {
      if (!begin_line(level + 1))
        return;
      bool is_first = true;
      cells(row.get_object(), columns, is_first, nesting + 1);
    }
  }

  /// Inline, or as a list: an array in a list has no other forms.
  void array_without_table(const json::array& array, size_t level, size_t nesting) {
    header_length(array.size(), "");
    out_ += ':';
    if (std::all_of(array.begin(), array.end(), is_primitive)) {
      for (size_t i = 0; i < array.size() && problem_.empty(); ++i) {
        out_ += i == 0 ? ' ' : static_cast<char>(options_.delimiter);
        primitive(array[i]);
      }
      return;
    }
    for (auto& item : array) {
      if (!begin_line(level + 1))
        return;
      list_item(item, level + 1, nesting);
    }
  }

  /// `nesting` is that of the array around it.
  void list_item(const json::value& item, size_t level, size_t nesting) {
    out_ += '-';
    if (!is_primitive(item) && !may_nest(nesting + 1))
      return;
    if (item.is_object() && item.get_object().empty())
      return;
    out_ += ' ';
    if (is_primitive(item)) {
      primitive(item);
    } else if (item.is_array()) {
      array_without_table(item.get_array(), level, nesting + 1);
    } else {
      auto& object = item.get_object();
      bool has_line = true; // the first field stands behind the hyphen
      for (auto& [key, value] : object) {
        if (!has_line && !begin_line(level + 1))
          return;
        field(key, value, level + 1, nesting + 1);
        has_line = false;
      }
    }
  }

  /// An object as a table: header and rows.
  void entries(const json::object& object, const std::vector<column>& columns, size_t level, size_t nesting) {
    header_length(object.size(), ":");
    header_columns(columns);
    out_ += ':';
    for (auto& [key, row] : object) {
      if (!begin_line(level + 1))
        return;
      append_key_of(key);
      out_ += ": ";
      bool is_first = true;
      cells(row.get_object(), columns, is_first, nesting + 1);
    }
  }

  void header_length(size_t length, std::string_view mark) {
    ((out_ += '[') += std::to_string(length)) += mark;
    if (options_.delimiter != delimiter::comma)
      out_ += static_cast<char>(options_.delimiter);
    out_ += ']';
  }

  void header_columns(const std::vector<column>& columns) {
    char before = '{';
    for (auto& c : columns) {
      out_ += before;
      append_key_of(c.name);
      if (!c.parts.empty())
        header_columns(c.parts);
      before = static_cast<char>(options_.delimiter);
    }
    out_ += '}';
  }

  void cells(const json::object& row, const std::vector<column>& columns, bool& is_first, size_t nesting) {
    if (!may_nest(nesting))
      return;
    for (size_t i = 0; i < columns.size() && problem_.empty(); ++i) {
      auto& value = *cell(row, columns[i], i);
      if (!columns[i].parts.empty()) {
        cells(value.get_object(), columns[i].parts, is_first, nesting + 1);
        continue;
      }
      if (!is_first)
        out_ += static_cast<char>(options_.delimiter);
      is_first = false;
      primitive(value);
    }
  }

  void primitive(const json::value& value) {
    switch (value.kind()) {
      case json::kind::bool_: out_ += value.get_bool() ? "true" : "false"; break;
      case json::kind::int64: out_ += std::to_string(value.get_int64()); break;
      case json::kind::uint64: out_ += std::to_string(value.get_uint64()); break;
      case json::kind::double_: append_double(out_, value.get_double()); break;
      case json::kind::string:
        if (is_utf8(value.get_string()))
          append_string(out_, std::string_view{value.get_string().data(), value.get_string().size()},
                        options_.delimiter);
        break;
      default: out_ += "null";
    }
    if (out_.size() > options_.text_bytes_max)
      fail("the text would be longer than text_bytes_max");
  }

  void append_key_of(json::string_view key) {
    if (is_utf8(key))
      append_key(out_, std::string_view{key.data(), key.size()});
  }

  bool is_utf8(json::string_view text) {
    auto at = first_invalid_utf8({text.data(), text.size()});
    if (at == std::string_view::npos)
      return true;
    fail("a string is no UTF-8 after " + shown({text.data(), at}));
    return false;
  }

  /// False: there was a problem, and writing ends.
  bool begin_line(size_t level) {
    if (out_.size() > options_.text_bytes_max)
      fail("the text would be longer than text_bytes_max");
    if (!problem_.empty())
      return false;
    if (!out_.empty())
      out_ += '\n';
    out_.append(level * options_.indent_spaces, ' ');
    return true;
  }

  bool may_nest(size_t nesting) {
    if (nesting > options_.depth_max)
      fail("the value is nested deeper than depth_max");
    return nesting <= options_.depth_max;
  }

  void fail(std::string what) {
    if (problem_.empty())
      problem_ = std::move(what);
  }

  encode_options options_;
  std::string out_;
  std::string problem_;
};

} // namespace

encoded encode(const json::value& value, const encode_options& options) { return encoder{options}.root(value); }

} // namespace toon
