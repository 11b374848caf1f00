// A provider's response of any bytes: an answer that can be asked on with, or a fault that says something.
#include "sampling/provider.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/value.hpp>

#include <iterator>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2)
    return 0;
  auto who = sampling::all_providers[data[0] % std::size(sampling::all_providers)];
  int status = data[1] < 128 ? 200 : 300 + 2 * data[1];
  auto out = sampling::answer_of(who, status, fuzz::text_of(data + 2, size - 2));
  if (!out.ok()) {
    fuzz::require(out.error.message.size() > 20 && out.error.message.size() < sampling::said_bytes_max + 400,
                  "a fault that says nothing, or too much");
    return 0;
  }
  fuzz::require(status == 200, "an answer with an error's status");
  msg::model_request next;
  next.model = out.value.model;
  next.messages.push_back({msg::chat_role::assistant, out.value.text, out.value.uses, {}});
  for (auto& use : out.value.uses) {
    fuzz::require(!use.name.empty() && !use.id.empty() && use.input.value().is_object(), "half a use of a tool");
    next.messages.push_back({msg::chat_role::user, {}, {}, {{use.id, use.name, "done", false}}});
  }
  auto question = sampling::http_request_for(who, {}, "key", next);
  fuzz::require(msg::document::parse(question.body).ok(), "a question that is no JSON");
  fuzz::require(question.url.find_first_of(" \r\n#") == question.url.npos, "an address that is none");
  return 0;
}
