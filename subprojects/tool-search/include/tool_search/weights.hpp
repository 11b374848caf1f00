// The numbers of the ranking. All are coarse on purpose: they hold for catalogues that no measurement of ours has seen.
// docs/search.md says what each is worth.
#pragma once

#include <array>

namespace tool_search {

struct weights {
  // ---- BM25F: a tool's score for one word ----
  /// A word in the name counts as much as three in the description. In the order of tool_search::field.
  std::array<float, 5> fields{3, 1, 1, 0.5F, 0.5F};
  /// How much a field longer than the average is discounted (`b`).
  float length = 0.75F;
  /// A word's second and third occurrence add less and less (`k1`, the usual value).
  float saturation = 1.2F;

  // ---- the question ----
  /// Words in quotes, brackets and braces are values for a tool, which its description can not know.
  float value = 0.5F;
  /// Words after "in", "from", "using": where or with what, rather than what.
  float context = 0.8F;
  /// What is said for the word by others.
  float synonym = 0.5F;
  /// What a mistyped or a shortened word may mean.
  float guess = 0.5F;
  /// What a verb that no tool has says for another verb for the same kind of thing: "store" for `add`.
  float same_action = 0.25F;
  /// Words written apart, together or with a capital inside are the same: `hostpool`, `host pool`. 0: they are not.
  float joined = 1;

  // ---- a tool as a whole ----
  /// Two words that stand side by side in the tool as well: this part of the rarer one's score again.
  float pair = 0.5F;
  /// A tool all of whose name is in the question gets this much more; part of the name, part of it.
  float name = 0.5F;
  /// Of several sentences, each may be about another tool: how much the best sentence counts, against all of them.
  float sentence = 0.5F;
  /// Tools of a server that the question names get this much more.
  float named_server = 0.5F;
  /// A tool whose name has a verb for the kind of thing that is asked for gets this much more, whichever verb it is.
  float asked_action = 0.1F;
  /// A tool whose name says that it does something else than what is asked for (`exec_in_pod` for "list pods") gets
  /// this much less.
  float other_action = 0.2F;
  /// A tool that has nothing of what the question is about, only its verb, gets this much less.
  float bare_verb = 0.3F;
  /// A tool that calls itself deprecated gets this much less.
  float deprecated = 0.5F;

  bool operator==(const weights&) const = default;
};

} // namespace tool_search
