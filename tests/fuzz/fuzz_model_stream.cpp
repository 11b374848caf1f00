// A stream of any bytes, in pieces of any length: an answer or a fault, and the same ones as in one piece.
#include "sampling/stream_reader.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>

namespace {

struct reading {
  std::string text;
  msg::outcome<msg::model_answer> out;
};

reading read(sampling::provider who, std::string_view bytes, size_t piece) {
  sampling::stream_reader reader{who};
  reading r;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    r.text += reader.feed(bytes.substr(0, piece));
  r.out = reader.finish();
  return r;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2)
    return 0;
  auto who = sampling::all_providers[data[0] % std::size(sampling::all_providers)];
  auto bytes = fuzz::text_of(data + 2, size - 2);
  auto whole = read(who, bytes, bytes.size() + 1);
  auto pieces = read(who, bytes, 1 + data[1] % 16);
  fuzz::require(whole.text == pieces.text, "pieces give another text");
  fuzz::require(whole.out.ok() == pieces.out.ok() && whole.out.error.message == pieces.out.error.message,
                "pieces give another outcome");
  if (!whole.out.ok()) {
    fuzz::require(whole.out.error.message.size() > 20
                    && whole.out.error.message.size() < sampling::said_bytes_max + 400,
                  "a fault that says nothing, or too much");
    return 0;
  }
  auto& answer = whole.out.value;
  fuzz::require(whole.text.empty() || whole.text == answer.text, "text that is not the answer's");
  for (auto& use : answer.uses)
    fuzz::require(!use.name.empty() && !use.id.empty() && use.input.value().is_object(), "half a use of a tool");
  return 0;
}
