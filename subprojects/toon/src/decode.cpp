#include "toon/decode.hpp"

#include "decoder.hpp"
#include "text.hpp"

#include <algorithm>

namespace toon {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

decode_problem problem_at(std::string_view text, const char* at, std::string what) {
  auto before = text.substr(0, static_cast<size_t>(at - text.data()));
  auto line_begin = before.rfind('\n') + 1; // npos + 1 is 0
  return {std::move(what), 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          1 + before.size() - line_begin};
}

} // namespace

std::string decode_problem::text() const {
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what;
}

decoded decode(std::string_view text, const decode_options& options, boost::json::storage_ptr storage) {
  if (text.size() > options.text_bytes_max)
    return {nullptr,
            {"expected at most " + std::to_string(options.text_bytes_max) + " bytes (text_bytes_max), found "
               + std::to_string(text.size()),
             1, 1}};
  if (auto invalid = first_invalid_utf8(text); invalid != text.npos)
    return {nullptr, problem_at(text, text.data() + invalid, "expected UTF-8")};
  auto content = text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
  boost::json::value value(storage);
  decoder d{content, options, std::move(storage)};
  if (d.root(value))
    return {std::move(value), {}};
  return {nullptr, problem_at(text, d.problem_at(), d.problem())};
}

} // namespace toon
