#include "messages/document.hpp"

#include "messages/disposal.hpp"
#include "messages/sent_text.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <utility>

namespace msg {

namespace json = boost::json;

namespace {

/// What the allocator adds to each block.
constexpr size_t block_bytes = 16;
/// Of a number with a fraction as text, about.
constexpr size_t fraction_bytes = 16;
/// Short texts lie inside of their value.
constexpr size_t inner_text_bytes = 14;
/// From here on an object has a table of its keys, with one word for each.
constexpr size_t plain_object_size = 18;

struct size {
  size_t text = 0;
  size_t held = 0;
};

/// Every document that shares the value, or a part of it, shares this as well.
struct owner {
  size_t held_bytes = 0;
  void operator()(const json::value* value) const {
    std::unique_ptr<const json::value> last{value};
    if (held_bytes >= disposed_elsewhere_bytes)
      dispose(std::move(last));
  }
};

size_t digits(uint64_t number) {
  size_t n = 1;
  for (; number > 9; number /= 10)
    ++n;
  return n;
}

/// Brackets and commas.
size_t punctuation(size_t elements) { return elements > 0 ? elements + 1 : 2; }

void measure(const json::value& value, size& to);

void measure(const json::array& list, size& to) {
  to.text += punctuation(list.size());
  to.held += list.capacity() > 0 ? block_bytes + list.capacity() * sizeof(json::value) : 0;
  for (auto& element : list)
    measure(element, to);
}

void measure(const json::object& object, size& to) {
  auto table = object.capacity() > plain_object_size ? object.capacity() * sizeof(uint32_t) : 0;
  to.text += punctuation(object.size());
  to.held += object.capacity() > 0 ? block_bytes + object.capacity() * sizeof(json::key_value_pair) + table : 0;
  for (auto& [key, field] : object) {
    to.text += key.size() + 3;
    to.held += key.size() + block_bytes;
    measure(field, to);
  }
}

/// What lies outside of the value.
void measure(const json::value& value, size& to) {
  switch (value.kind()) {
    case json::kind::null: to.text += 4; return;
    case json::kind::bool_: to.text += value.get_bool() ? 4 : 5; return;
    case json::kind::int64: {
      auto number = value.get_int64();
      to.text +=
        number < 0 ? 1 + digits(uint64_t{0} - static_cast<uint64_t>(number)) : digits(static_cast<uint64_t>(number));
      return;
    }
    case json::kind::uint64: to.text += digits(value.get_uint64()); return;
    case json::kind::double_: to.text += fraction_bytes; return;
    case json::kind::string:
      to.text += value.get_string().size() + 2;
      to.held += value.get_string().capacity() > inner_text_bytes ? block_bytes + value.get_string().capacity() : 0;
      return;
    case json::kind::array: return measure(value.get_array(), to);
    case json::kind::object: return measure(value.get_object(), to);
  }
}

} // namespace

document::document(json::value value) {
  size measured{0, block_bytes + sizeof(json::value)};
  measure(value, measured);
  text_bytes_ = measured.text;
  value_ = std::shared_ptr<const json::value>{new json::value(std::move(value)), owner{measured.held}};
}

size_t document::held_bytes() const {
  auto* whole = std::get_deleter<owner>(value_);
  return (whole ? whole->held_bytes : 0) + (sent_ ? sent_->whole->size() : 0);
}

size_t document::text_bytes_of(const json::value& value) {
  size measured;
  measure(value, measured);
  return measured.text;
}

const json::value& document::value() const {
  static const json::value null;
  return value_ ? *value_ : null;
}

document document::part(const json::value& inner) const {
  document out;
  out.value_ = std::shared_ptr<const json::value>{value_, &inner};
  out.sent_ = sent_part(*this, inner);
  out.text_bytes_ = text_bytes_; // an upper bound
  return out;
}

std::string document::text() const { return text::to_text(value()); }

outcome<document> document::parse(std::string_view text, spelling text_is) {
  json::value value;
  if (auto problem = text::parse_json(text, text::json_dialect::strict, value); !problem.what.empty())
    return fault{errc::invalid_argument, problem.what + " at byte " + std::to_string(problem.at + 1)};
  document out{std::move(value)};
  out.text_bytes_ = text.size();
  if (text_is == spelling::kept)
    out.sent_ = std::make_shared<const sent_text>(std::make_shared<const std::string>(text));
  return out;
}

} // namespace msg
