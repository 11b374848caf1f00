#include "code_policy/violations.hpp"

#include "rules.hpp"
#include "scanner.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace code_policy {

namespace {

constexpr size_t found_bytes_max = 60;
/// The others are counted.
constexpr size_t told_max = 5;

/// Lines and columns of ascending places.
class ruler {
public:
  explicit ruler(std::string_view source) : source_(source) {}

  void move_to(size_t place) {
    for (; at_ < place; ++at_) {
      bool is_first_byte = (static_cast<unsigned char>(source_[at_]) & 0xC0) != 0x80;
      column = source_[at_] == '\n' ? 1 : column + (is_first_byte ? 1 : 0);
      line += source_[at_] == '\n' ? 1 : 0;
    }
  }

  uint32_t line = 1;
  uint32_t column = 1;

private:
  std::string_view source_;
  size_t at_ = 0;
};

/// In one line.
std::string shown(std::string_view text) {
  auto out = text::quoted(text, found_bytes_max);
  std::replace_if(
    out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

} // namespace

std::vector<violation> find_violations(language language, std::string_view code) {
  auto list = language == language::python ? scan_python(code) : scan_typescript(code);
  auto findings = language == language::python ? python_findings(list) : typescript_findings(list);
  std::stable_sort(findings.begin(), findings.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
  findings.resize(std::min(findings.size(), findings_max), finding{});
  std::vector<violation> out;
  ruler place{code};
  for (auto& f : findings) {
    place.move_to(f.begin);
    out.push_back(
      {f.broken->name, f.broken->why, shown(code.substr(f.begin, f.end - f.begin)), place.line, place.column});
  }
  return out;
}

std::string describe(const violation& d) {
  return std::string{d.rule} + " at " + std::to_string(d.line) + ":" + std::to_string(d.column) + ": `" + d.found + "` "
         + d.why;
}

std::string describe(const std::vector<violation>& found) {
  std::string out;
  for (size_t i = 0; i < std::min(found.size(), told_max); ++i)
    out += (i == 0 ? "" : "\n") + describe(found[i]);
  if (found.size() > told_max)
    out += "\nand " + std::to_string(found.size() - told_max) + " more";
  return out;
}

} // namespace code_policy
