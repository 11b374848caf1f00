// Text for the kernel, which reads it up to its first NUL.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace process {

/// One argument, variable or path. It never holds a NUL: made of a text with one, it is empty and not sound, and
/// whatever is to be done with it is refused. So nothing can be opened or started that is shorter than what was
/// checked.
class c_text {
public:
  c_text() = default;
  c_text(std::string text) : text_(std::move(text)), sound_(text_.find('\0') == text_.npos) {
    if (!sound_)
      text_.clear();
  }
  c_text(std::string_view text) : c_text(std::string{text}) {}
  c_text(const char* text) : text_(text) {}

  bool sound() const { return sound_; }
  bool empty() const { return text_.empty(); }
  size_t size() const { return text_.size(); }
  const char* c_str() const { return text_.c_str(); }
  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }

  friend bool operator==(const c_text& a, const c_text& b) = default;
  friend bool operator==(const c_text& a, const std::string& b) { return a.sound_ && a.text_ == b; }
  friend bool operator==(const c_text& a, const char* b) { return a.sound_ && a.text_ == b; }
  friend std::string operator+(const std::string& a, const c_text& b) { return a + b.text_; }
  friend std::string operator+(const c_text& a, const std::string& b) { return a.text_ + b; }

private:
  std::string text_;
  bool sound_ = true;
};

using c_texts = std::vector<c_text>;

inline c_texts c_texts_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

} // namespace process
