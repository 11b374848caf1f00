// Whatever comes, and in whatever pieces: the gate lets the same requests through, within its limits, and forgets none
// of the bytes that it counts.
#include "gate.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr size_t head_bytes_max = 2'048;
constexpr size_t body_bytes_max = 512;
constexpr uint64_t bodies_bytes_max = 600;

void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// What came of the bytes, as a text.
std::string outcome_of(std::string_view bytes, size_t piece) {
  auto budget = std::make_shared<http::body_budget>(bodies_bytes_max);
  std::string out;
  {
    http::gate door{{head_bytes_max, body_bytes_max}, budget, 1, {}};
    while (!bytes.empty() && door.at() != http::gate::place::refused) {
      auto used = door.take(bytes.substr(0, piece));
      require(used > 0 || door.at() == http::gate::place::refused, "nothing was taken, and nothing has happened");
      bytes.remove_prefix(used);
      require(budget->taken() <= bodies_bytes_max, "the budget was exceeded");
      if (door.at() != http::gate::place::complete)
        continue;
      auto came = door.take_arrival();
      auto& head = came.asked.head;
      require(!head.path.empty() && came.asked.body.size() <= body_bytes_max, "a request beyond the limits");
      for (auto& field : head.fields)
        out += field.name + ":" + field.value + ";";
      out += head.method + " " + head.path + "?" + head.query + "\n" + came.asked.body + "\n";
    }
    if (door.at() == http::gate::place::refused) {
      auto answer = door.take_refusal();
      require(answer.status >= 400 && answer.status < 600, "a refusal that is none");
      out += std::to_string(answer.status) + answer.body;
      auto text = http::last_answer_text(answer);
      require(text.find("\r\n\r\n") == text.size() - answer.body.size() - 4, "a refusal whose head has two ends");
    }
  }
  require(budget->taken() == 0, "a body was not given back");
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes{reinterpret_cast<const char*>(data), size};
  auto whole = outcome_of(bytes, size);
  require(outcome_of(bytes, 1) == whole, "byte by byte it is something else");
  require(outcome_of(bytes, 13) == whole, "in pieces it is something else");
  return 0;
}
