#include "header.hpp"

#include "text.hpp"
#include "tokens.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <numeric>

namespace toon {

namespace {

/// Of a field besides its name: in the list, and in those that find duplicates.
constexpr size_t field_bytes = 160;

class header_reader {
public:
  header_reader(std::string_view line, const decode_options& options) : line_(line), options_(options) {}

  header_reading read() && {
    auto bracket = find_unquoted(line_, "[:");
    if (bracket == line_.npos || line_[bracket] == ':' || find_unquoted(line_, ":", bracket) == line_.npos)
      return {};
    bool is_complete = key(line_.substr(0, bracket)) && length() && columns() && end();
    out_.what = is_complete ? header_reading::kind::complete : header_reading::kind::malformed;
    return std::move(out_);
  }

private:
  bool key(std::string_view text) {
    at_ = text.size();
    if (text.empty())
      return true;
    if (text.back() == ' ' || text.back() == '\t')
      return expected("'[' directly after the key, without white space");
    out_.result.key.emplace();
    return name(text, 0, *out_.result.key);
  }

  bool length() {
    ++at_;
    auto& h = out_.result;
    auto begin = line_.data() + at_;
    auto digits = std::from_chars(begin, line_.data() + line_.size(), h.length);
    auto count = static_cast<size_t>(digits.ptr - begin);
    if (count == 0 || (count > 1 && *begin == '0'))
      return expected("a length in the brackets: digits, without zeros in front");
    if (digits.ec == std::errc::result_out_of_range)
      h.length = std::numeric_limits<uint64_t>::max();
    at_ += count;
    h.is_keyed = take(':');
    if (peek() == '\t' || peek() == '|')
      h.separator = line_[at_++];
    return take(']') || expected("']' after the length, or a tab or '|' before it");
  }

  bool columns() {
    auto& h = out_.result;
    if (peek() == '{')
      return group(h.fields, 1);
    return !h.is_keyed || expected("'{' and the fields of the entries after ':]'");
  }

  bool end() {
    if (!take(':'))
      return expected("':' directly after the header");
    auto& h = out_.result;
    h.inline_values = trimmed(line_.substr(at_));
    if (h.fields.empty() || h.inline_values.empty())
      return true;
    return expected("nothing after the header of a table: its rows are lines of their own");
  }

  /// `{a,b{c,d}}`.
  bool group(std::vector<table_field>& fields, size_t depth) {
    if (depth > options_.depth_max)
      return out_of_bounds("fewer groups in each other (depth_max)");
    out_.result.depth = std::max(out_.result.depth, depth);
    std::vector<size_t> begins; // of the fields, in the line
    do {
      ++at_; // the brace, or the delimiter
      bytes_ += field_bytes;
      if (bytes_ + at_ > options_.value_bytes_max)
        return out_of_bounds("fewer fields (value_bytes_max)");
      begins.push_back(at_);
      if (!one_field(fields.emplace_back(), depth))
        return false;
    } while (peek() == out_.result.separator);
    if (!take('}'))
      return expected(std::string{"'}', or '"} + out_.result.separator + "' and another field");
    return options_.checks == checks::lenient || differ(fields, begins);
  }

  bool one_field(table_field& field, size_t depth) {
    if (!field_name(field.name))
      return false;
    if (peek() == '{')
      return group(field.parts, depth + 1);
    ++out_.result.leaves;
    return true;
  }

  /// Sorted, not hashed: a hostile header could make all hashes equal.
  bool differ(const std::vector<table_field>& fields, const std::vector<size_t>& begins) {
    std::vector<size_t> order(fields.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return fields[a].name < fields[b].name; });
    auto same = std::adjacent_find(order.begin(), order.end(),
                                   [&](size_t a, size_t b) { return fields[a].name == fields[b].name; });
    if (same == order.end())
      return true;
    auto again = *std::next(same);
    at_ = begins[again];
    return expected("each field once, found " + shown(fields[again].name) + " again");
  }

  bool field_name(std::string& out) {
    while (peek() == ' ')
      ++at_;
    auto begin = at_;
    bool is_quoted = peek() == '"';
    if (is_quoted)
      skip_quoted();
    at_ = std::min(line_.find_first_of(",|\t{}", at_), line_.size());
    auto text = trimmed(line_.substr(begin, at_ - begin));
    if (text.empty())
      return expected("the name of a field");
    return name(text, begin, out);
  }

  /// To the character behind the closing quote.
  void skip_quoted() {
    for (++at_; at_ < line_.size() && line_[at_] != '"';)
      at_ += line_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, line_.size());
  }

  bool name(std::string_view text, size_t begin, std::string& out) {
    if (text.front() != '"') {
      out = text;
      return true;
    }
    auto problem = unquote(text, out);
    if (problem.what.empty())
      return true;
    out_.is_fatal = true;
    out_.problem = problem.what;
    out_.at = line_.data() + begin + problem.at;
    return false;
  }

  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }

  bool take(char c) {
    bool is_there = peek() == c;
    at_ += is_there;
    return is_there;
  }

  bool expected(const std::string& what) {
    out_.problem = "expected " + what;
    out_.at = line_.data() + at_;
    return false;
  }

  bool out_of_bounds(const std::string& what) {
    out_.is_fatal = true;
    return expected(what);
  }

  std::string_view line_;
  const decode_options& options_;
  size_t at_ = 0;
  size_t bytes_ = 0; ///< of the fields, without their names
  header_reading out_;
};

} // namespace

header_reading read_header(std::string_view line, const decode_options& options) {
  return header_reader{line, options}.read();
}

} // namespace toon
