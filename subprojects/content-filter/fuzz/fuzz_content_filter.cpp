// However a text is cut, what comes out of the pieces is what comes out of the whole; and nothing of what is blocked
// comes out.
#include "content_filter/filter.hpp"
#include "content_filter/stream_filter.hpp"
#include "testing/fuzz.hpp"

#include <random>

namespace {

std::string in_pieces(std::string_view text, const content_filter::content_policy& policy, uint32_t seed,
                      bool& is_blocked) {
  std::minstd_rand random{seed};
  auto piece_max = size_t{1} << random() % 12;
  content_filter::stream_filter filter{policy};
  std::string out;
  while (!text.empty() && !is_blocked) {
    auto piece = text.substr(0, random() % piece_max + 1);
    text.remove_prefix(piece.size());
    auto given = filter.feed(piece);
    fuzz::require(filter.held_bytes() <= content_filter::stream_filter::held_bytes_max || !given.ok(),
                  "too much is held back");
    is_blocked = !given.ok();
    out += given.text;
  }
  auto rest = filter.finish();
  is_blocked = is_blocked || !rest.ok();
  return out + rest.text;
}

} // namespace

/// The first bytes are the seed of the cuts and the policy; the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t head = 4 + content_filter::content_classes;
  if (size < head)
    return 0;
  uint32_t seed = data[0] | data[1] << 8 | data[2] << 16 | static_cast<uint32_t>(data[3]) << 24;
  content_filter::content_policy policy;
  for (size_t i = 0; i < content_filter::content_classes; ++i) // mostly redacted
    policy.actions[i] = static_cast<content_filter::content_action>(data[4 + i] % 16 < 3 ? data[4 + i] % 16 : 0);
  auto text = fuzz::text_of(data + head, size - head);
  auto whole = content_filter::filter_content(text, policy);
  bool is_blocked = false;
  auto pieces = in_pieces(text, policy, seed, is_blocked);
  fuzz::require(is_blocked == !whole.ok(), "blocked in pieces, or as a whole, but not both");
  fuzz::require(is_blocked || pieces == whole.text, "the pieces differ from the whole");
  return 0;
}
