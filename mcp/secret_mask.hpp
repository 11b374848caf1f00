// What a server says of its own secrets is told to no reader: a line such as "401: key sk-... is not valid" becomes
// part of errors that models read.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::json {
class value;
}

namespace mcp {

/// In the place of each.
inline constexpr std::string_view secret_shown = "***";
/// What is shorter is a word, and stays.
inline constexpr size_t secret_bytes_min = 8;

/// Bytes of a text that are taken out.
struct masked_range {
  size_t from = 0, to = 0;
};

/// What it knows is shared by its copies and never changes: another thread may use one.
class secret_mask {
public:
  /// Of several lines, each line is one; of them all the first 200 that are long enough. Each is known as it is,
  /// however JSON and URLs spell it, and if it has at most 4 KiB also as forms have it and as it reads when it is
  /// decoded itself; all spellings together take at most 4 MiB, of the shorter ones first.
  explicit secret_mask(const std::vector<std::string>& secrets);

  /// Without the secrets. `is_cut`: the line goes on, perhaps in the middle of one, whose beginning at its end goes
  /// too.
  std::string operator()(std::string line, bool is_cut) const;

  /// Of all spellings that are kept.
  size_t bytes() const;

private:
  size_t secret_at(std::string_view text) const;
  std::vector<masked_range> secrets_in(std::string_view text, bool is_cut) const;

  struct known_secrets {
    /// Numbers in `texts`, by their first bytes: a text is gone through once, however many there are.
    std::map<std::string, std::vector<size_t>, std::less<>> by_beginning;
    std::array<bool, 256> begins_with{}; ///< of all bytes, those that one begins with
    std::vector<std::string> texts;      ///< the longest first: one may be the beginning of another
  };

  std::shared_ptr<const known_secrets> known_;
};

/// What makes a text one without secrets. Empty: there are none.
using masking = std::function<std::string(std::string)>;

/// Beyond what is shown of a text, for secrets that begin within it: it is masked first and cut then. No argument or
/// variable has more (MAX_ARG_STRLEN).
inline constexpr size_t masked_beyond_bytes_max = 128u << 10;

/// The beginning of a text without secrets, in UTF-8, for an error or the log. At most bytes_max, and less if there are
/// secrets in a text that is longer by masked_beyond_bytes_max. `masked_excerpt` says at its end that it is cut.
std::string masked_beginning(std::string_view text, size_t bytes_max, const masking& mask);
std::string masked_excerpt(std::string_view text, size_t bytes_max, const masking& mask);
/// The same of a value, as JSON.
std::string masked_json(const boost::json::value& value, size_t bytes_max, const masking& mask);

/// Takes secrets out of a value: what `mask` makes of its strings, of the names of its members and of its numbers,
/// which exec strings then. Of members whose names exec alike the first stays. True: something was there.
bool mask_texts(boost::json::value& in, const masking& mask);

} // namespace mcp
