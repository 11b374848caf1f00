#include "tool_search/words.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <new>
#include <unordered_set>

namespace tool_search {

namespace {

enum class type { other, lower, upper, digit, character };

/// `mySQL` is one word with two parts; three and more are a name made of words, which no author writes as one.
constexpr size_t whole_parts = 2;

type type_of(std::string_view text, size_t at) {
  auto c = static_cast<unsigned char>(text[at]);
  if (c >= 'a' && c <= 'z')
    return type::lower;
  if (c >= 'A' && c <= 'Z')
    return type::upper;
  if (c >= '0' && c <= '9')
    return type::digit;
  if (c < 0x80)
    return type::other;
  // Three bytes of UTF-8: e3 80 and ef bc, ef bd are punctuation of East Asia, the rest of e3 to e9 its characters.
  auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
  if ((c == 0xe3 && next == 0x80) || (c == 0xef && (next == 0xbc || next == 0xbd)) || (c == 0xe2 && next == 0x80))
    return type::other;
  return c >= 0xe3 && c <= 0xe9 ? type::character : type::lower;
}

size_t length_of(std::string_view text, size_t at) {
  auto c = static_cast<unsigned char>(text[at]);
  size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
  return std::min(n, text.size() - at);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Collects the parts of one written word, and the word itself when it ends.
class splitter {
public:
  void add(std::string_view character, type now, bool next_is_lower) {
    if (now == type::other) {
      end_word();
    } else {
      bool acronym_ends = now == type::upper && last_ == type::upper && next_is_lower;
      bool goes_on = now == last_ || (last_ == type::upper && now == type::lower);
      if (last_ == type::other || !goes_on || acronym_ends || now == type::character) {
        out.emplace_back();
        ++parts_;
      }
      for (char c : character)
        out.back().text += lower(c);
    }
    last_ = now;
  }
  void end_word() {
    if (parts_ == whole_parts)
      out.push_back({out[out.size() - 2].text + out.back().text, true});
    parts_ = 0;
  }

  std::vector<word> out;

private:
  type last_ = type::other;
  size_t parts_ = 0;
};

const std::unordered_set<std::string_view>& fillers() {
  static const std::unordered_set<std::string_view> words{
    "a",     "an",    "the",    "of",    "in",    "on",     "at",     "to",    "for",    "from",   "by",    "with",
    "and",   "or",    "but",    "if",    "is",    "are",    "was",    "were",  "be",     "been",   "being", "am",
    "do",    "does",  "did",    "has",   "have",  "had",    "this",   "that",  "these",  "those",  "it",    "its",
    "i",     "me",    "my",     "mine",  "you",   "your",   "yours",  "we",    "us",     "our",    "ours",  "they",
    "them",  "their", "he",     "she",   "his",   "her",    "as",     "so",    "than",   "then",   "there", "here",
    "what",  "which", "who",    "whom",  "whose", "how",    "when",   "where", "why",    "can",    "could", "will",
    "would", "shall", "should", "may",   "might", "must",   "need",   "want",  "please", "help",   "let",   "also",
    "any",   "all",   "some",   "each",  "every", "both",   "either", "not",   "no",     "nor",    "only",  "just",
    "into",  "onto",  "over",   "about", "after", "before", "again",  "once",  "very",   "too",    "s",     "t",
    "ll",    "re",    "ve",     "d",     "m",     "using",  "use",    "via",   "per",    "within", "such",  "other",
    "more",  "most"};
  return words;
}

} // namespace

std::vector<word> words_of(std::string_view text) {
  splitter s;
  for (size_t i = 0; i < text.size();) {
    auto n = length_of(text, i);
    bool next_is_lower = i + n < text.size() && type_of(text, i + n) == type::lower;
    s.add(text.substr(i, n), type_of(text, i), next_is_lower);
    i += n;
  }
  s.end_word();
  return std::move(s.out);
}

bool is_filler(std::string_view word) { return fillers().contains(word); }

bool begins_context(std::string_view word) {
  static const std::unordered_set<std::string_view> words{"in", "from", "on",     "at",    "with",  "using",
                                                          "by", "into", "within", "under", "inside"};
  return words.contains(word);
}

std::string skeleton(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i)
    if (type_of(name, i) != type::other)
      out += lower(name[i]);
  return out;
}

stemmer::stemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {
  if (!stemmer_)
    throw std::bad_alloc{}; // English and UTF-8 are always there
}

std::string stemmer::stem(std::string_view word) const {
  auto* bytes = reinterpret_cast<const sb_symbol*>(word.data());
  auto* out = sb_stemmer_stem(stemmer_.get(), bytes, static_cast<int>(word.size()));
  if (!out) // no memory
    return std::string{word};
  return {reinterpret_cast<const char*>(out), static_cast<size_t>(sb_stemmer_length(stemmer_.get()))};
}

void stemmer::closes::operator()(sb_stemmer* s) const { sb_stemmer_delete(s); }

} // namespace tool_search
