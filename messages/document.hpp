// A JSON value on its way between actors: immutable, shared, never copied; text only where it leaves the process.
#pragma once

#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace boost::json {
class value;
}

namespace msg {

struct member_changes;

/// Of the text that a document was parsed from: whether it is kept, for whoever passes the document on.
enum class spelling : uint8_t { ours, kept };

class document {
public:
  document() = default; ///< null
  /// Measures the value: a walk over it, which is a small part of what making it took.
  explicit document(boost::json::value value);

  const boost::json::value& value() const;
  /// `inner` lies inside of value(): shares the whole instead of copying the part.
  document part(const boost::json::value& inner) const;
  /// Of the text it was parsed from; else of its text, escapes not counted. It decides who does the writing. A part has
  /// that of its whole.
  size_t text_bytes() const { return text_bytes_; }
  static size_t text_bytes_of(const boost::json::value& value); ///< of a document of it
  /// Memory that is held as long as this is, about: of a part, that of its whole. Small values in lists take ten times
  /// their text.
  size_t held_bytes() const;
  /// Compact JSON.
  std::string text() const;
  /// Compact JSON, but numbers, texts and names as they were spelled, if that is kept.
  std::string spelled() const;
  /// Of an object, with these changes.
  std::string spelled(const member_changes& changes) const;
  /// One JSON text, strict UTF-8, nesting bounded. The fault (invalid_argument) says what is wrong and at which byte.
  static outcome<document> parse(std::string_view text, spelling text_is = spelling::ours);

private:
  struct sent_text;
  /// Where in `whole` a part of it is; null: it can not be told.
  static std::shared_ptr<const sent_text> sent_part(const document& whole, const boost::json::value& inner);

  std::shared_ptr<const boost::json::value> value_;
  std::shared_ptr<const sent_text> sent_; ///< null: not kept
  size_t text_bytes_ = 4;                 // null
};

/// What is different of an object's members where it is written.
struct member_changes {
  document set; ///< an object: in place of members of the same name, or after all others
  std::vector<std::string_view> dropped;
};

/// What a deserializer answers to a text that is no JSON. messages/actors.hpp says it for CAF, which is not known here.
template <class Result>
Result unreadable_document();

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, document& x) {
  auto text = Inspector::reads_state ? x.text() : std::string{};
  if constexpr (std::is_void_v<typename Inspector::result_type>) { // printing
    f(text);
  } else {
    auto result = f(text);
    if constexpr (Inspector::writes_state) {
      auto parsed = document::parse(text);
      if (!result && !parsed.ok())
        return unreadable_document<typename Inspector::result_type>();
      x = std::move(parsed.value);
    }
    return result;
  }
}

/// A text with a document in it, put together only where it is written: `head` + document + `tail`. The document is
/// spelled as it was, if that is kept.
struct spliced_text {
  std::string head;
  document body;
  std::string tail;
  std::shared_ptr<const member_changes> changes; ///< of the document, which is an object then; null: none

  spliced_text() : whole_(true) {}
  explicit spliced_text(std::string text) : head(std::move(text)), whole_(true) {}
  spliced_text(std::string h, document b, std::string t) : head(std::move(h)), body(std::move(b)), tail(std::move(t)) {}
  std::string text() const { return whole_ ? head : head + (changes ? body.spelled(*changes) : body.spelled()) + tail; }
  /// About, see document::text_bytes().
  size_t text_bytes() const {
    return whole_ ? head.size()
                  : head.size() + body.text_bytes() + (changes ? changes->set.text_bytes() : 0) + tail.size();
  }
  /// See document::held_bytes().
  size_t held_bytes() const {
    return sizeof *this + head.size() + body.held_bytes() + (changes ? changes->set.held_bytes() : 0) + tail.size();
  }

private:
  bool whole_ = false; // no document at all
};

} // namespace msg
