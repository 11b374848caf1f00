#include "proxy/types/settle.hpp"

#include "proxy/types/combine.hpp"

#include <algorithm>

// Recursion follows types, which are bounds::depth_max deep, and names, of which a schema has bounds::types_max.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace {

void for_each_inner(type& t, const auto& use) {
  for (auto* list : {&t.parts, &t.rest})
    for (auto& inner : *list)
      use(inner);
  for (auto& f : t.fields)
    use(f.of);
}

void for_each_inner(const type& t, const auto& use) {
  for_each_inner(const_cast<type&>(t), [&](type& inner) { use(std::as_const(inner)); }); // NOLINT: nothing is changed
}

bool is_short(const named_type& n) {
  return n.doc.empty() && n.is.is != kind::object && n.is.is != kind::list && n.is.is != kind::tuple
         && n.is.is != kind::choice;
}

class settling {
public:
  settling(std::vector<named_type>& names, size_t first)
    : names_(names),
      first_(first),
      states_(names.size() - first) {}

  /// After it, no way of mere names leads back to this one.
  void end_cycles(size_t name) {
    states_[name - first_] = state::begun;
    end_cycles(names_[name].is);
    states_[name - first_] = state::done;
  }

  void end_all_cycles() {
    for (auto i = first_; i < names_.size(); ++i)
      if (states_[i - first_] == state::untouched)
        end_cycles(i);
  }

  /// Everywhere below.
  void replace_short(type& t) {
    while (t.is == kind::named && t.name >= first_ && is_short(names_[t.name])) { // ends: there are no cycles
      auto body = names_[t.name].is;
      t = std::move(body);
    }
    for_each_inner(t, [this](type& inner) { replace_short(inner); });
    if (t.is == kind::choice)
      t = either(std::move(t.parts));
  }

private:
  enum class state : uint8_t { untouched, begun, done };

  void end_cycles(type& t) {
    if (t.is == kind::choice) {
      for (auto& p : t.parts)
        end_cycles(p);
      t = either(std::move(t.parts));
    } else if (t.is == kind::named && t.name >= first_) {
      if (states_[t.name - first_] == state::begun)
        t = {};
      else if (states_[t.name - first_] == state::untouched)
        end_cycles(static_cast<size_t>(t.name));
    }
  }

  std::vector<named_type>& names_;
  size_t first_;
  std::vector<state> states_;
};

void collect(const type& t, const std::vector<named_type>& names, std::vector<bool>& seen, std::vector<uint32_t>& out) {
  if (t.is == kind::named && !seen[t.name]) {
    seen[t.name] = true;
    out.push_back(t.name);
  }
  for_each_inner(t, [&](const type& inner) { collect(inner, names, seen, out); });
}

bool leads_to_itself(const std::vector<named_type>& names, uint32_t name) {
  auto below = names_of(names, {&names[name].is});
  return std::find(below.begin(), below.end(), name) != below.end();
}

} // namespace

void settle(std::vector<named_type>& names, size_t first, const std::vector<type*>& roots) {
  settling s{names, first};
  s.end_all_cycles();
  for (auto i = first; i < names.size(); ++i)
    s.replace_short(names[i].is);
  for (auto* root : roots) {
    s.replace_short(*root);
    if (root->is == kind::named && !leads_to_itself(names, root->name)) {
      auto body = names[root->name].is;
      *root = std::move(body);
    }
  }
}

std::vector<uint32_t> names_of(const std::vector<named_type>& names, const std::vector<const type*>& roots) {
  std::vector<bool> seen(names.size());
  std::vector<uint32_t> out;
  for (auto* root : roots)
    collect(*root, names, seen, out);
  for (size_t i = 0; i < out.size(); ++i) { // grows
    auto name = out[i];
    collect(names[name].is, names, seen, out);
  }
  return out;
}

} // namespace types

// NOLINTEND(misc-no-recursion)
