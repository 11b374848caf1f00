#include "mcp/secret_mask.hpp"

#include "mcp/decoded_text.hpp"
#include "text/json_beginning.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

namespace mcp {

namespace json = boost::json;

namespace {

/// Lines of all of them; each is looked for in some spellings.
constexpr size_t secrets_max = 200;
/// All spellings that are kept together: what Linux takes of arguments and variables, twice. The shorter texts come
/// first.
constexpr size_t spellings_bytes_max = 4u << 20;
/// Of longer texts only what is written is looked for; that is far beyond any key.
constexpr size_t spelled_bytes_max = 4u << 10;

/// Bytes at the end of `line` that `secret` begins with, if it does not end there; below the least of a secret they say
/// nothing.
size_t beginning_at_end(std::string_view line, std::string_view secret) {
  for (auto n = std::min(line.size(), secret.size() - 1); n >= secret_bytes_min; --n)
    if (line.ends_with(secret.substr(0, n)))
      return n;
  return 0;
}

/// Bytes of the longest beginning of one that is at the end.
size_t cut_at_end(std::string_view text, const std::vector<std::string>& secrets) {
  size_t out = 0;
  for (auto& secret : secrets)
    out = std::max(out, beginning_at_end(text, secret));
  return out;
}

/// Those of a decoded text, as parts of what it was made of.
void add_decoded(const std::vector<masked_range>& in_decoded, const decoded_text& decoded, size_t whole_bytes,
                 std::vector<masked_range>& to) {
  for (auto& one : in_decoded) // a code that is cut off at the end goes with what stands before it
    to.push_back({decoded.at[one.from], one.to == decoded.text.size() ? whole_bytes : decoded.at[one.to]});
}

/// Where two overlap both go: of a secret of which another one is a part nothing stays, however they are written.
std::string without(const std::string& text, std::vector<masked_range> found) {
  std::sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.from < b.from; });
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; i < found.size();) {
    auto [from, to] = found[i];
    for (++i; i < found.size() && found[i].from < to; ++i)
      to = std::max(to, found[i].to);
    out.append(text, copied, from - copied).append(secret_shown);
    copied = to;
  }
  return out.append(text, copied);
}

/// As it is written again once it was read. Empty: it is no number.
std::string as_number(std::string_view text) {
  json::value value;
  return text::parse_json(text, text::json_dialect::strict, value).what.empty() && value.is_number()
           ? text::to_text(value)
           : std::string{};
}

/// Each once.
struct spellings {
  void add(std::string text) {
    if (text.size() < secret_bytes_min || text.size() > bytes_left)
      return;
    auto bytes = text.size();
    bytes_left -= texts.insert(std::move(text)).second ? bytes : 0;
  }

  std::set<std::string> texts;
  size_t bytes_left = spellings_bytes_max;
};

/// As it is meant if it is a part of a URL or of JSON, as a form has it, and as a number is written.
void add_spellings(const std::string& secret, spellings& to) {
  auto in_form = secret;
  std::replace(in_form.begin(), in_form.end(), ' ', '+');
  to.add(std::move(in_form));
  to.add(decode_url(secret, false).text);
  to.add(decode_json(secret, false).text);
  to.add(as_number(secret));
}

/// Those that are long enough; of lines of Windows too.
std::vector<std::string_view> lines_of(const std::vector<std::string>& secrets) {
  std::vector<std::string_view> out;
  for (std::string_view rest : secrets)
    while (!rest.empty() && out.size() < secrets_max) {
      auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      if (line.size() >= secret_bytes_min)
        out.push_back(line);
    }
  return out;
}

/// A beginning that has no beginning of a secret at its end, and whether it is shorter than the text was.
struct masked_head {
  std::string text;
  bool is_cut = false;
};

/// Of a text of which at least so much is there as the window has, if it has that much.
masked_head head_of(std::string text, size_t bytes_max, const masking& mask) {
  bool is_window = text.size() > bytes_max + masked_beyond_bytes_max;
  auto shown = mask ? mask(std::move(text)) : std::move(text);
  bool is_cut = is_window || shown.size() > bytes_max;
  if (is_window) // one may begin there that does not end there
    shown.resize(shown.size() - std::min(shown.size(), masked_beyond_bytes_max));
  shown.resize(std::min(shown.size(), bytes_max));
  return {text::valid_utf8(shown), is_cut};
}

masked_head head_of_text(std::string_view text, size_t bytes_max, const masking& mask) {
  return head_of(std::string{text.substr(0, bytes_max + masked_beyond_bytes_max + 1)}, bytes_max, mask);
}

/// False: there was none.
bool mask_text(std::string& text, const masking& mask) {
  if (text.size() < secret_bytes_min)
    return false;
  auto shown = mask(text);
  bool is_other = shown != text;
  text = std::move(shown);
  return is_other;
}

bool mask_object(json::object& object, const masking& mask) {
  bool is_other = false, has_other_names = false;
  std::vector<std::string> names;
  for (auto& member : object) {
    is_other |= mask_texts(member.value(), mask);
    has_other_names |= mask_text(names.emplace_back(member.key()), mask);
  }
  if (!has_other_names)
    return is_other;
  json::object out;
  size_t which = 0;
  for (auto& member : object)
    out.emplace(names[which++], std::move(member.value()));
  object = std::move(out);
  return true;
}

} // namespace

secret_mask::secret_mask(const std::vector<std::string>& secrets) {
  auto lines = lines_of(secrets);
  std::sort(lines.begin(), lines.end(), [](auto a, auto b) { return a.size() < b.size(); });
  spellings all;
  for (auto line : lines) // as they are: what a server says is most often that
    all.add(std::string{line});
  for (auto line : lines)
    if (line.size() <= std::min(spelled_bytes_max, all.bytes_left))
      add_spellings(std::string{line}, all);
  auto known = std::make_shared<known_secrets>();
  auto& texts = known->texts;
  texts.reserve(all.texts.size());
  while (!all.texts.empty())
    texts.push_back(std::move(all.texts.extract(all.texts.begin()).value()));
  std::sort(texts.begin(), texts.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  for (size_t i = 0; i < texts.size(); ++i) {
    known->begins_with[static_cast<unsigned char>(texts[i][0])] = true;
    known->by_beginning[texts[i].substr(0, secret_bytes_min)].push_back(i);
  }
  known_ = std::move(known);
}

size_t secret_mask::bytes() const {
  return std::accumulate(known_->texts.begin(), known_->texts.end(), size_t{0},
                         [](size_t sum, auto& secret) { return sum + secret.size(); });
}

/// Bytes of the longest secret that stands there; 0: none.
size_t secret_mask::secret_at(std::string_view text) const {
  auto begin = known_->by_beginning.find(text.substr(0, secret_bytes_min));
  if (begin == known_->by_beginning.end())
    return 0;
  for (auto number : begin->second)
    if (text.starts_with(known_->texts[number]))
      return known_->texts[number].size();
  return 0;
}

/// `is_cut`: with a beginning of one at the end. Those that overlap are one.
std::vector<masked_range> secret_mask::secrets_in(std::string_view text, bool is_cut) const {
  std::vector<masked_range> out;
  auto add = [&out](size_t from, size_t to) {
    if (!out.empty() && from < out.back().to)
      out.back().to = std::max(out.back().to, to);
    else
      out.push_back({from, to});
  };
  for (size_t i = 0; i + secret_bytes_min <= text.size(); ++i) // within one another one may begin
    if (auto n = known_->begins_with[static_cast<unsigned char>(text[i])] ? secret_at(text.substr(i)) : 0; n > 0)
      add(i, i + n);
  if (auto n = is_cut ? cut_at_end(text, known_->texts) : 0; n > 0)
    out.push_back({text.size() - n, text.size()});
  return out;
}

std::string secret_mask::operator()(std::string text, bool is_cut) const {
  if (known_->texts.empty())
    return text;
  auto found = secrets_in(text, is_cut);
  for (auto decode : {text_decoder{decode_url}, text_decoder{decode_json}, text_decoder{decode_json_twice}}) {
    bool may_be_encoded = text.find(decode == decode_url ? '%' : '\\') != text.npos;
    auto decoded = may_be_encoded ? decode(text, is_cut) : decoded_text{};
    if (decoded.is_other || (may_be_encoded && is_cut))
      add_decoded(secrets_in(decoded.text, is_cut), decoded, text.size(), found);
  }
  return found.empty() ? std::move(text) : without(text, std::move(found));
}

std::string masked_beginning(std::string_view text, size_t bytes_max, const masking& mask) {
  return head_of_text(text, bytes_max, mask).text;
}

std::string masked_excerpt(std::string_view text, size_t bytes_max, const masking& mask) {
  auto head = head_of_text(text, bytes_max, mask);
  return head.is_cut ? head.text + " [... cut after " + std::to_string(bytes_max) + " bytes]" : std::move(head.text);
}

std::string masked_json(const json::value& value, size_t bytes_max, const masking& mask) {
  return head_of(text::json_beginning(value, bytes_max + masked_beyond_bytes_max + 1), bytes_max, mask).text;
}

bool mask_texts(json::value& in, const masking& mask) {
  if (auto* object = in.if_object())
    return mask_object(*object, mask);
  bool is_other = false;
  if (auto* array = in.if_array())
    for (auto& element : *array)
      is_other |= mask_texts(element, mask);
  if (!in.is_string() && !in.is_number())
    return is_other;
  auto text = in.is_string() ? std::string{in.get_string().subview()} : text::to_text(in);
  is_other = mask_text(text, mask);
  if (is_other)
    in = text;
  return is_other;
}

} // namespace mcp
