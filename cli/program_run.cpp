#include "cli/program_run.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/session_client.hpp"
#include "cli/verb_process.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

/// Nothing that a program can give is larger: what is told a person is not cut.
constexpr size_t all_chars = msg::limits::frame_bytes_max;
/// A run has a time limit, and its guest one for its start; this only makes the wait finite.
constexpr std::chrono::minutes start_and_end_max{2};
/// Its name in the record.
constexpr auto run_name_in_record = "code-executor run";

const json::string* report_text_in(const json::object& in, std::string_view name) {
  auto* found = in.if_contains(name);
  return found ? found->if_string() : nullptr;
}

/// Whether the first block is the text of the report, and not the first that the program has displayed.
bool has_text_block(const json::object& report) {
  auto* output = report_text_in(report, "output");
  return report.contains("result") || report.contains("error") || report.contains("truncated")
         || report.contains("samplingCalls") || (output && !output->empty());
}

/// Of a block that the program has displayed.
std::string shown_block(const json::object& block) {
  if (auto* text = report_text_in(block, "text"))
    return std::string{*text};
  auto *type = report_text_in(block, "type"), *mime = report_text_in(block, "mimeType"),
       *data = report_text_in(block, "data");
  return "[" + (type ? std::string{*type} : "a block") + (mime ? " " + std::string{*mime} : "")
         + (data ? ", " + std::to_string(data->size()) + " bytes of base64" : "") + "]";
}

class program_run final : public verb_process {
public:
  program_run(verb_parts parts, program_to_run what)
    : verb_process(std::move(parts)),
      what_(std::move(what)),
      client_(io_, dependencies_.port, run_name_in_record) {
    dependencies_.printed = notes_.listener();
  }

private:
  actors::client_wire wire() override { return client_.wire(); }
  void take_session(const msg::client_session_actor& session) override { client_.serve(session); }
  void forget_actors() override { client_.forget(); }

  void adapt(actors::supervisor_options& o) override {
    o.session.form = surface::result_form::structured;
    o.session.chars_max = all_chars;
  }

  asio::awaitable<int> carry_out() override {
    auto patience = what_.timeout + settings_.runs.queue_wait_max + start_and_end_max;
    std::string tool{what_.tool};
    auto answer = co_await client_.call_tool(std::move(tool), std::move(what_.arguments), patience);
    if (!answer.ok()) {
      complain("run: " + answer.error.message);
      co_return EXIT_FAILURE;
    }
    auto& result = answer.value.value().as_object();
    auto& report = result.at("structuredContent").as_object();
    bool succeeded = report.at("success").as_bool();
    if (what_.form == output_form::text)
      tell(result, report);
    auto printed = co_await print(text_of(report));
    co_return succeeded ? printed : EXIT_FAILURE;
  }

  /// Of stdout.
  std::string text_of(const json::object& report) const {
    if (what_.form == output_form::json)
      return text::printable(text::to_text(report)) + "\n";
    auto* result = report.if_contains("result");
    if (!result)
      return {};
    auto text =
      result->is_string() ? shown_to(STDOUT_FILENO, result->get_string()) : text::printable(text::to_text(*result));
    return text.ends_with('\n') ? text : text + "\n";
  }

  /// On stderr: what it has displayed, what it met with, and how it failed.
  void tell(const json::object& result, const json::object& report) {
    auto& blocks = result.at("content").as_array();
    bool has_displayed = blocks.size() > 1 || !has_text_block(report);
    for (size_t i = has_text_block(report) ? 1 : 0; has_displayed && i < blocks.size(); ++i)
      if (auto text = shown_block(blocks[i].as_object()); text != nothing_to_tell)
        notes_.note(text);
    if (auto* faults = report.if_contains("faults"))
      for (auto& fault : faults->as_array())
        notes_.note("injected: " + text::to_text(fault));
    if (auto* error = report_text_in(report, "error"); error && !was_interrupted())
      notes_.note(*error);
  }

  /// What a result says that has nothing to say.
  static constexpr std::string_view nothing_to_tell = "Done: the program printed and returned nothing.";

  program_to_run what_;
  session_client client_;
};

} // namespace

int run_program(const config::environment& environment, const config::settings& settings,
                const config::variable_lookup& variables, program_to_run what) {
  auto plan = plan_world(environment, settings);
  if (!plan.ok())
    return complain("settings: " + plan.error.message, exit_wrong_settings);
  auto own = settings_of_verb(settings);
  return run_verb(environment, own, variables, std::move(plan.value), [&what](verb_parts parts) {
    return program_run{std::move(parts), std::move(what)}.run();
  });
}

} // namespace cli
