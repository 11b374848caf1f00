// Whatever the program is, what is found in it is inside of it, in order, and not too much.
#include "code_policy/violations.hpp"
#include "rules.hpp"
#include "scanner.hpp"
#include "testing/fuzz.hpp"

namespace {

void check(const code_policy::token_list& list) {
  uint32_t at = 0;
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    auto& t = list.tokens[i];
    fuzz::require(at <= t.begin && t.begin <= t.end && t.end <= list.source.size(), "tokens are out of order");
    fuzz::require(t.partner == code_policy::none
                    || (t.partner < list.tokens.size() && list.tokens[t.partner].partner == i),
                  "a bracket has two partners");
    at = t.end;
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  check(code_policy::scan_typescript(text));
  check(code_policy::scan_python(text));
  for (auto language : {code_policy::language::typescript, code_policy::language::python}) {
    auto found = code_policy::find_violations(language, text);
    fuzz::require(found.size() <= code_policy::findings_max, "too much is told");
    uint32_t line = 1;
    for (auto& d : found) {
      fuzz::require(d.line >= line && d.column >= 1, "a place that can not be");
      line = d.line;
    }
    if (!found.empty())
      fuzz::require(!code_policy::describe(found).empty(), "nothing is said");
  }
  return 0;
}
