// Patterns of names, made ready once to be held against many names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace proxy {

/// `*` matches any run of characters, everything else itself; the whole name, case-sensitive. What stands between two
/// stars is looked for once, from the left.
bool matches(std::string_view pattern, std::string_view name);

/// Of the patterns that have to be tried one by one: those without a star cost nothing, however many they are.
size_t bytes_of_those_with_stars(const std::vector<std::string>& patterns);

/// So that text can be looked up in a table of strings.
struct text_hash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using text_set = std::unordered_set<std::string, text_hash, std::equal_to<>>;

/// Whether any of many patterns matches a name. Those without a star are looked up. Of the others, those are tried of
/// which the name has three characters in a row that they ask for (each has its own: those that the fewest others ask
/// for), and those that ask for no three in a row: at most 16 KiB of such patterns and a name of 512 bytes take 0.5 ms.
class name_patterns {
public:
  name_patterns() = default;
  explicit name_patterns(const std::vector<std::string_view>& patterns);

  bool match(std::string_view name) const;
  bool empty() const { return !everything_ && exact_.empty() && wild_.empty(); }

private:
  static constexpr size_t sieve_bits = 1U << 14U;

  bool has_gram_of(std::string_view name) const;

  bool everything_ = false; ///< one of them is `*`
  text_set exact_;
  std::vector<std::string> wild_;                      ///< those with stars; first those that have no gram
  size_t without_gram_ = 0;                            ///< of these
  std::vector<std::pair<uint32_t, uint32_t>> by_gram_; ///< three characters, number in wild_; sorted
  /// One bit for each gram that is there: most that are not are seen at once.
  std::array<uint64_t, sieve_bits / 64> sieve_{};
};

} // namespace proxy
