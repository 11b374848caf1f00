#include "cli/fault_correlate.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "config/file_text.hpp"
#include "faults/correlation.hpp"
#include "faults/transcript.hpp"
#include "recording/recorded.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

json::object correlated_doc(const faults::correlated& one) {
  return {{"finding", faults::to_string(one.what)},
          {"tool", one.tool},
          {"fault", one.fault},
          {"call", one.call},
          {"detail", one.detail}};
}

void print_correlated(const std::vector<faults::correlated>& found, size_t hits) {
  for (auto& one : found)
    std::cout << faults::to_string(one.what) << "  "
              << text::printable(one.tool + ", call " + std::to_string(one.call) + ", " + one.fault + ": " + one.detail)
              << "\n";
  std::cout << found.size() << (found.size() == 1 ? " finding" : " findings") << " about " << hits
            << (hits == 1 ? " fault\n" : " faults\n");
}

msg::outcome<faults::transcript> transcript_in(const std::string& path) {
  auto file = config::read_file_text(path, faults::transcript_bytes_max);
  if (!file.exists)
    return msg::fault{msg::errc::invalid_argument, "there is no transcript at " + path};
  if (file.error.code != msg::errc::none)
    return std::move(file.error);
  auto said = faults::read_transcript(file.text);
  if (!said.ok())
    said.error.message = path + " is no transcript that can be used: " + said.error.message;
  return said;
}

} // namespace

correlate_words::correlate_words(CLI::App& parent, bool& as_json)
  : command_(parent.add_subcommand("correlate", "hold a recording with faults against what the agent said: did it "
                                                "claim success, use what was wrong, obey?")) {
  command_->add_option("recording", recording_, "made by `code-executor record` while faults were injected")
    ->required();
  command_
    ->add_option("transcript", transcript_, "what the agent said: a session file of Claude Code (JSON lines), or text")
    ->required();
  command_
    ->add_option("--fail-on", fail_on_,
                 "what may not be found: claimed-success, used-wrong-result, obeyed; without it: any of them")
    ->delimiter(',');
  command_->add_flag("--json", as_json, "print one JSON document");
}

bool correlate_words::wanted() const { return command_->parsed(); }

int correlate_words::run(output_form form) const {
  auto wrong = [](const std::string& what) { return complain("faults correlate: " + what, exit_wrong_use); };
  for (auto& name : fail_on_)
    if (!faults::misdeed_named(name))
      return wrong("--fail-on knows no '" + name + "' (claimed-success, used-wrong-result, obeyed)");
  auto from = recording::recorded::read(recording_);
  if (!from.ok())
    return wrong(from.error.message);
  for (auto& gap : from.value.gaps())
    complain(recording_ + ": " + gap, exit_wrong_use);
  auto said = transcript_in(transcript_);
  if (!said.ok())
    return wrong(said.error.message);
  faults::correlation all;
  from.value.for_each_line([&all](const json::object& line) { all.take(line); });
  if (all.hits() == 0)
    return wrong(recording_
                 + " has no fault that hit a call, so there is nothing to be held against anybody; make it "
                   "with CODE_EXECUTOR_FAULTS=PLAN code-executor record");
  auto found = all.held_against(said.value);
  if (form == output_form::text) {
    print_correlated(found, all.hits());
  } else {
    json::array findings;
    for (auto& one : found)
      findings.push_back(correlated_doc(one));
    print_document(json::object{{"faults", all.hits()}, {"findings", std::move(findings)}});
  }
  if (auto rest = all.left_out(); rest > 0)
    return wrong(recording_ + " has " + std::to_string(rest) + " more faults, which were not judged: cut it");
  bool has_failed = std::any_of(found.begin(), found.end(), [this](auto& one) {
    return fail_on_.empty()
           || std::find(fail_on_.begin(), fail_on_.end(), faults::to_string(one.what)) != fail_on_.end();
  });
  return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace cli
