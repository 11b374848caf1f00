#include "secret_forms.hpp"

#include "base64.hpp"
#include "oauth_client/form.hpp"
#include "text/percent.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace oauth {

namespace {

/// Shorter ones would stand in any text.
constexpr size_t secret_bytes_min = 4;
/// So much of its beginning is a secret: what is shorter is a word. A text that has these bytes by chance is not shown,
/// which costs the reader a sentence.
constexpr size_t beginning_bytes = 8;
/// An encoded text within an encoded one, and not more of them.
constexpr int decodings_max = 2;

constexpr size_t bits_per_byte = 8, bits_per_digit = 6;
/// Three bytes are four digits: so many places in them can a text begin at.
constexpr size_t base64_places = 3;

/// Digits that any base64 has in which `text` follows on `before` bytes, however many threes: those that no neighbour
/// has a bit of.
std::string inner_digits(std::string_view text, size_t before, std::string (*encode)(std::string_view)) {
  auto all = encode(std::string(before, '\0').append(text));
  auto from = (before * bits_per_byte + bits_per_digit - 1) / bits_per_digit;
  auto to = (before + text.size()) * bits_per_byte / bits_per_digit;
  return all.substr(from, to - from);
}

/// What a text with the secret has, once it is decoded.
std::vector<std::string> spellings_of(std::string_view secret) {
  auto plain = std::string{secret.substr(0, beginning_bytes)};
  auto encoded = form_encoded(secret).substr(0, beginning_bytes); // as the header `Basic` has it
  std::vector<std::string> out{plain};
  for (std::string_view inner : {plain, encoded})
    for (auto encode : {base64_of, base64url_of})
      for (size_t before = 0; before < base64_places; ++before)
        out.push_back(inner_digits(inner, before, encode));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// As it is and as it may be meant.
std::vector<std::string> readings_of(std::string_view text) {
  std::vector<std::string> out{std::string{text}};
  auto add = [&out](std::string reading) {
    if (std::find(out.begin(), out.end(), reading) == out.end())
      out.push_back(std::move(reading));
  };
  std::string decoded{text};
  for (int i = 0; i < decodings_max; ++i) {
    auto blanks = decoded;
    std::replace(blanks.begin(), blanks.end(), '+', ' ');
    add(text::percent_decoded(blanks));
    decoded = text::percent_decoded(decoded);
    add(decoded);
  }
  std::string bare{text}; // JSON within JSON
  bare.erase(std::remove(bare.begin(), bare.end(), '\\'), bare.end());
  add(std::move(bare));
  return out;
}

} // namespace

bool tells_one_of(std::string_view text, const std::vector<std::string>& secrets) {
  auto readings = readings_of(text);
  auto is_told = [&](const std::string& spelling) {
    return std::any_of(readings.begin(), readings.end(),
                       [&](auto& reading) { return reading.find(spelling) != std::string::npos; });
  };
  return std::any_of(secrets.begin(), secrets.end(), [&](auto& secret) {
    auto spellings = secret.size() >= secret_bytes_min ? spellings_of(secret) : std::vector<std::string>{};
    return std::any_of(spellings.begin(), spellings.end(), is_told);
  });
}

} // namespace oauth
