// What clang-tidy has to find, whichever program it is: `./dev check` compares. Never built.
#include "faults.hh"

#include <memory>
#include <string>
#include <vector>

#include <vector> // duplicate-include

using std::shared_ptr;  // unused-using-decls
namespace other = std;  // unused-alias-decls
int _Reserved = 0;      // reserved-identifier
int* null = 0;          // use-nullptr
#define TWICE(x) x * 2  // macro-parentheses

struct base {
  virtual ~base() = default;
  virtual void f();
};
struct derived : base {
  virtual void f(); // use-override
};

std::string after_move(std::string s) {
  auto moved = std::move(s);
  return s + moved; // use-after-move
}
void copies(const std::vector<std::string>& all) {
  for (auto one : all) // for-range-copy
    (void)one.size();
}
long widen(int a, int b) { return a * b; } // implicit-widening-of-multiplication-result
auto instance = mover<std::string>{{}};
namespace {
int unused() { return 0; } // the compiler's
} // namespace
