#include "proxy/editors/file_stems.hpp"

#include "text/digest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace editors {

namespace {

constexpr size_t digest_digits = 16;

/// `index` and what begins with `__` are files of ours and of Python; the others are devices on Windows, whatever their
/// end.
constexpr std::array<std::string_view, 23> reserved{"index", "con",  "prn",  "aux",  "nul",  "com1", "com2", "com3",
                                                    "com4",  "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
                                                    "lpt3",  "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"};

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// Whether it could be a stem with a digest.
bool ends_with_digest(std::string_view stem) {
  if (stem.size() <= digest_digits)
    return false;
  auto end = stem.substr(stem.size() - digest_digits);
  return std::all_of(end.begin(), end.end(), [](unsigned char c) { return std::isxdigit(c); });
}

bool is_free(const std::string& small) {
  return !small.empty() && small.size() <= stem_bytes_max && !small.starts_with("__") && !ends_with_digest(small)
         && std::find(reserved.begin(), reserved.end(), small) == reserved.end();
}

} // namespace

std::string plain_spelling(std::string_view name) {
  std::string out;
  for (char c : name) {
    bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    if (is_plain || (!out.empty() && out.back() != '-'))
      out += is_plain ? c : '-';
  }
  out.erase(0, std::min(out.find_first_not_of('-'), out.size()));
  out.erase(out.find_last_not_of('-') + 1);
  return out;
}

std::vector<std::string> file_stems(const std::vector<std::string_view>& names,
                                    const std::vector<std::string>& spellings, char between) {
  std::map<std::string, size_t> users;
  for (auto& spelling : spellings)
    ++users[lower(spelling)];
  std::vector<std::string> out;
  out.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    auto small = lower(spellings[i]);
    bool is_own = users[small] == 1 || names[i] == small;
    if (is_own && is_free(small))
      out.push_back(spellings[i]);
    else
      out.push_back(spellings[i].substr(0, stem_bytes_max) + (spellings[i].empty() ? "server" : "") + between
                    + text::sha256_of(names[i]).substr(0, digest_digits));
  }
  return out;
}

} // namespace editors
