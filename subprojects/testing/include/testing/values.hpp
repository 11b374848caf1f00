// JSON for tests: from text, and at random from a seed that a failing test prints.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace test {

inline boost::json::value value(std::string_view text) { return boost::json::parse(text); }
inline boost::json::object object(std::string_view text) { return boost::json::parse(text).as_object(); }

/// Strict: what a client's or a guest's parser accepts. Uses Boost only, nothing of ours.
inline bool is_valid_utf8(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text)
    quoted += (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) ? 'x' : c;
  boost::json::error_code ec;
  boost::json::parse(quoted + '"', ec);
  return !ec;
}

class random_values {
public:
  explicit random_values(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>{0, n - 1}(random_); }
  double number() { // every exponent that is finite
    for (;;) {
      auto bits = random_();
      double d;
      static_assert(sizeof d == sizeof bits);
      std::memcpy(&d, &bits, sizeof d);
      if (std::isfinite(d))
        return d;
    }
  }
  std::string text(size_t length_max) {
    static constexpr std::string_view pieces[] = {"a",    "Z",    "0",  " ",    "\"", "\\",
                                                  "/",    "\n",   "\t", "\r",   "\b", "\x01",
                                                  "\x1f", "\x7f", "é",  "日本", "😀", "\xE2\x80\xA8"};
    std::string out;
    for (auto n = below(length_max + 1); n > 0; --n)
      out += pieces[below(std::size(pieces))];
    return out;
  }
  boost::json::value value(int depth_max = 4) {
    switch (below(depth_max > 0 ? 8 : 6)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return static_cast<int64_t>(random_());
      case 3: return static_cast<uint64_t>(random_() | 1ull << 63);
      case 4: return static_cast<double>(static_cast<int64_t>(below(2'000'000)) - 1'000'000) / 64; // exact in binary
      case 5: return boost::json::string{text(12)};
      case 6: {
        boost::json::array out;
        for (auto n = below(6); n > 0; --n)
          out.push_back(value(depth_max - 1));
        return out;
      }
      default: {
        boost::json::object out;
        for (auto n = below(6); n > 0; --n)
          out[text(4)] = value(depth_max - 1);
        return out;
      }
    }
  }

private:
  std::mt19937_64 random_;
};

} // namespace test
