#include "content_filter/stream_filter.hpp"

#include <algorithm>
#include <utility>

namespace content_filter {

namespace {

/// What is decided is dropped when it is more than this: not for every piece.
constexpr size_t decided_bytes_max = 4'096;

/// Something may begin with this byte that is no word.
bool is_sign(char c) { return c == '-' || c == '+' || c == '(' || c == '/' || c == '_'; }

/// The first place at or behind `at` where something may begin.
size_t next_start(std::string_view text, size_t at) {
  constexpr size_t escape_bytes_max = 6; // \u0022
  size_t escapes_end = at + escape_bytes_max;
  bool is_in_word = at > 0 && is_of(bytes::alnum, text[at - 1]);
  for (; at < text.size(); ++at) {
    auto c = text[at];
    if (is_of(bytes::alnum, c)) {
      if (!is_in_word || (at <= escapes_end && is_behind_escape({text, at, false})))
        return at;
      is_in_word = true;
      continue;
    }
    if (is_sign(c))
      return at;
    is_in_word = false;
    if (c == '\\' || c == '%')
      escapes_end = at + escape_bytes_max;
  }
  return at;
}

/// The looks in the order of their precedence.
constexpr match (*looks[])(const place&) = {look_for_pem, look_for_token, look_for_secret, look_for_email,
                                            look_for_number};

match look(const place& p) {
  for (auto* one : looks)
    if (auto s = one(p); s.what != verdict::nothing)
      return s;
  return seen_nothing;
}

bool is_personal(content_class c) { return c >= content_class::email; }

} // namespace

void stream_filter::copy() {
  out_.append(text_, copied_, at_ - copied_);
  copied_ = at_;
}

/// Goes on to `end`: what is between is of the match that is open.
void stream_filter::pass(size_t end) {
  at_ = end;
  if (keeps_)
    copy();
  copied_ = at_;
}

void stream_filter::take(const match& s) {
  copy();
  ++counts_.found[static_cast<size_t>(s.kind)];
  auto action = policy_.of(s.kind);
  if (action == content_action::block) {
    blocked_ = s.kind;
    return;
  }
  keeps_ = action == content_action::allow;
  if (!keeps_)
    out_.append(is_personal(s.kind) ? personal_mark : secret_mark);
  open_ = s.goes_on;
  pass(s.end);
}

/// False: more of the text is needed.
bool stream_filter::pass_tail(bool is_end) {
  if (open_.is_pem) {
    auto closing = look_for_pem_end({text_, at_, is_end});
    pass(closing.end);
    if (closing.is_closed)
      open_ = {};
    return closing.is_closed;
  }
  pass(run_end(text_, at_, open_.set, text_.size()));
  if (at_ == text_.size())
    return false;
  if (text_[at_] == '.' && open_.dots > 0) {
    if (at_ + 1 == text_.size() && !is_end)
      return false;
    if (at_ + 1 < text_.size() && is_of(open_.set, text_[at_ + 1])) {
      --open_.dots;
      pass(at_ + 1);
      return true;
    }
  }
  open_ = {};
  return true;
}

void stream_filter::scan(bool is_end) {
  while (at_ < text_.size() && !blocked_) {
    if (open_.is_open()) {
      if (!pass_tail(is_end))
        return;
      continue;
    }
    at_ = next_start(text_, at_);
    if (at_ == text_.size())
      break;
    auto s = look({text_, at_, is_end});
    if (s.what == verdict::undecided)
      break;
    if (s.what == verdict::found)
      take(s);
    else
      ++at_;
  }
  copy();
}

filtered_piece stream_filter::given() {
  if (blocked_)
    return {{}, blocked_};
  return {std::exchange(out_, {}), {}};
}

filtered_piece stream_filter::feed(std::string_view piece) {
  if (at_ > decided_bytes_max) {
    text_.erase(0, at_ - context_bytes_max - 1);
    at_ = copied_ = context_bytes_max + 1;
  }
  text_.append(piece);
  out_.reserve(piece.size());
  scan(false);
  return given();
}

filtered_piece stream_filter::finish() {
  scan(true);
  return given();
}

} // namespace content_filter
