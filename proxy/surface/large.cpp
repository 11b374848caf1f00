#include "proxy/surface/large.hpp"

#include "messages/limits.hpp"
#include "proxy/artifacts/handle.hpp"
#include "proxy/artifacts/sample.hpp"
#include "proxy/artifacts/shape.hpp"
#include "proxy/surface/truncate.hpp"
#include "text/json_text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <ctime>

namespace surface {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::artifact_part;
using msg::large_artifact;

namespace {

void take_text(msg::captured_text& text, artifact_part part, size_t chars_max, std::vector<large_artifact>& to) {
  if (fits(text, chars_max))
    return;
  auto seen = excerpt(text, chars_max);
  to.push_back({artifacts::new_handle(), part, 0, std::exchange(text, std::move(seen)), {}});
}

large_description describe(const json::value& value, artifact_part part, uint32_t index) {
  return {part, index, artifacts::shape_of(value), artifacts::sample_of(value, limits::sample_bytes_max)};
}

void take_value(msg::document& value, artifact_part part, uint32_t index, size_t chars_max, taken_outputs& to) {
  if (fits(value.value(), chars_max))
    return;
  to.large.push_back({artifacts::new_handle(), part, index, {}, value});
  if (value.value().is_string()) // its head and tail are shown
    return;
  to.described.push_back(describe(value.value(), part, index));
  value = {};
}

bool is_shown_as_text(const msg::display_block& block) {
  return block.kind == msg::block_kind::text || block.kind == msg::block_kind::json;
}

std::string reading(const msg::kept_artifact& kept, msg::language lang) {
  auto handle = "'" + kept.handle + "'";
  if (lang == msg::language::python)
    return "read_output(" + handle + (kept.is_json ? ", path=None, offset=0, limit=None)" : ", offset=0, limit=None)");
  return "await readOutput(" + handle + (kept.is_json ? ", {path?, offset?, limit?})" : ", {offset?, limit?})");
}

/// ISO 8601, UTC.
std::string time_text(int64_t seconds) {
  auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[sizeof "2026-01-31T12:00:00Z"];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string until(const msg::kept_artifact& kept) {
  return kept.expires_s > 0 ? " until " + time_text(kept.expires_s) : "";
}

shown_value show_description(const large_description& d, const kept_artifacts& kept) {
  auto* found = kept.find(d.part, d.index);
  auto size = found && found->bytes > 0 ? " (" + std::to_string(found->bytes) + " bytes of JSON)" : std::string{};
  auto text = "The value is too large to show" + size + ". Its shape:\n" + d.shape + "\nA sample:\n"
              + text::to_text(d.sample) + "\n";
  if (!found) {
    auto problem = kept.problem.empty() ? "return less of it" : "it was not kept: " + kept.problem;
    json::object out{{"shape", d.shape}, {"sample", d.sample}, {"problem", problem}};
    return {std::move(out), text + "The rest is lost: " + problem, true, 0};
  }
  auto read = reading(*found, kept.lang);
  text += "All of it, in a later run" + until(*found) + ": " + read;
  json::object out{{"handle", found->handle}};
  if (found->bytes > 0)
    out["bytes"] = found->bytes;
  out["shape"] = d.shape;
  out["sample"] = d.sample;
  out["read"] = read;
  if (found->expires_s > 0)
    out["expires"] = time_text(found->expires_s);
  return {std::move(out), std::move(text), true, 0};
}

} // namespace

std::vector<msg::kept_artifact> still_written(const std::vector<large_artifact>& large) {
  std::vector<msg::kept_artifact> out;
  for (auto& each : large) {
    bool is_text =
      each.part == artifact_part::output || each.part == artifact_part::diagnostics || each.value.value().is_string();
    if (!each.handle.empty())
      out.push_back({each.handle, each.part, each.index, 0, !is_text, 0});
  }
  return out;
}

taken_outputs take_large(msg::run_report& report, result_shape shape, size_t chars_max) {
  taken_outputs out;
  take_text(report.output, artifact_part::output, chars_max, out.large);
  take_text(report.diagnostics, artifact_part::diagnostics, chars_max, out.large);
  if (report.has_result && shape != result_shape::bridge)
    take_value(report.result, artifact_part::result, 0, chars_max, out);
  for (uint32_t i = 0; i < report.displayed.size(); ++i)
    if (is_shown_as_text(report.displayed[i]))
      take_value(report.displayed[i].value, artifact_part::display, i, chars_max, out);
  return out;
}

const msg::kept_artifact* kept_artifacts::find(artifact_part part, uint32_t index) const {
  auto found = std::find_if(all.begin(), all.end(), [&](auto& k) { return k.part == part && k.index == index; });
  return found == all.end() ? nullptr : &*found;
}

const large_description* kept_artifacts::description(artifact_part part, uint32_t index) const {
  auto found =
    std::find_if(described.begin(), described.end(), [&](auto& d) { return d.part == part && d.index == index; });
  return found == described.end() ? nullptr : &*found;
}

std::string kept_artifacts::advice(artifact_part part, uint32_t index) const {
  if (auto* kept = find(part, index))
    return "a later run reads it" + until(*kept) + " by " + reading(*kept, lang);
  return std::string{print_less} + (problem.empty() ? "" : " (it was not kept: " + problem + ")");
}

std::string left_out_line(std::string_view name, uint64_t bytes, const kept_artifacts& kept, artifact_part part,
                          uint32_t index) {
  return "[" + std::string{name} + ": " + std::to_string(bytes) + " bytes in all; " + kept.advice(part, index) + "]";
}

namespace {

shown_value as_it_is(const json::value& value, const kept_artifacts& kept, artifact_part part, uint32_t index) {
  if (auto* description = kept.description(part, index))
    return show_description(*description, kept);
  if (fits(value, kept.chars_max))
    return {value, {}, false, 0};
  if (auto* text = value.if_string())
    return {json::value(truncate_string(*text, kept.chars_max, kept.advice(part, index))), {}, true, text->size()};
  return show_description(describe(value, part, index), kept);
}

} // namespace

/// A value stays what it is: JSON writes all that acts on a terminal as escapes.
shown_value show_value(const json::value& value, const kept_artifacts& kept, artifact_part part, uint32_t index) {
  return as_it_is(value, kept, part, index);
}

void give_to(const std::string& owner, std::vector<msg::large_artifact>& large) {
  for (auto& each : large)
    each.handle = artifacts::owned(std::move(each.handle), owner);
}

} // namespace surface
