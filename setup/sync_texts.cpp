#include "setup/sync_texts.hpp"

#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace setup {

using msg::errc;
using msg::fault;

namespace {

/// Lines of a crontab are cut behind that in Debian's cron.
constexpr size_t cron_command_bytes_max = 990;
constexpr size_t shown_path_bytes_max = 200;
constexpr std::string_view block_begin =
  "# code-executor: daily sync, begin (`code-executor setup` writes these lines, and takes them away)\n";
constexpr std::string_view block_end = "# code-executor: daily sync, end\n";
constexpr unsigned first_printable = 0x20, delete_character = 0x7F;

std::string comment_line() { return "# " + std::string{sync_mark} + "\n"; }

std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

fault can_not_say(const std::string& text, const char* what) {
  return {errc::invalid_argument, "'" + text::quoted(text, shown_path_bytes_max) + "' " + what};
}

/// Whether a `$` in a text of systemd begins a variable.
enum class dollar : uint8_t { is_plain, is_variable };

/// A word of systemd, between double quotes.
std::string systemd_word(std::string_view word, dollar what) {
  std::string out = "\"";
  for (char c : word) {
    auto code = static_cast<unsigned char>(c);
    if (code < first_printable || code == delete_character) {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "\\x%02x", static_cast<unsigned>(code));
      out += hex.data();
      continue;
    }
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '%' || (c == '$' && what == dollar::is_variable))
      out += c;
    out += c;
  }
  return out + "\"";
}

/// A word of a POSIX shell.
std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\r': out += "&#13;"; break; // else it would be read as an end of line
      default: out += c;
    }
  return out;
}

/// XML has no other control characters, escaped or not.
bool is_xml(std::string_view text) {
  return text::valid_utf8(text) == text && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < first_printable && c != '\t' && c != '\n' && c != '\r';
         });
}

/// All texts of it, in order.
std::vector<std::string> texts_of(const daily_sync& sync) {
  auto out = sync.command;
  out.push_back(sync.folder);
  for (auto& [name, value] : sync.variables)
    out.push_back(value);
  return out;
}

struct block_place {
  size_t begin = std::string_view::npos, end = std::string_view::npos;
};

/// From the line of the first mark to that of the last one behind it.
block_place place_of_block(std::string_view crontab) {
  block_place out;
  auto at = crontab.find(block_begin);
  while (at != crontab.npos && at > 0 && crontab[at - 1] != '\n')
    at = crontab.find(block_begin, at + 1);
  if (at == crontab.npos)
    return out;
  auto end = crontab.find(std::string{"\n"}.append(block_end), at);
  if (end == crontab.npos) // somebody has cut it: the mark alone is surely ours
    return {at, at + block_begin.size()};
  return {at, end + 1 + block_end.size()};
}

} // namespace

bool is_sync_text(std::string_view text) { return text.substr(0, mark_bytes_max).find(sync_mark) != text.npos; }

msg::outcome<std::string> systemd_service(const daily_sync& sync) {
  for (auto& text : texts_of(sync))
    if (text::valid_utf8(text) != text)
      return can_not_say(text, "is no UTF-8, which systemd wants");
  auto out = comment_line()
             + "[Unit]\nDescription=code-executor reads the tools of your MCP servers, and writes their wrappers\n\n"
               "[Service]\nType=oneshot\n";
  for (auto& [name, value] : sync.variables)
    out.append("Environment=")
      .append(systemd_word(std::string{name}.append("=").append(value), dollar::is_plain))
      .append("\n");
  // A shell, because neither the folder nor the program may have every character in a line of its own.
  out += "ExecStart=/bin/sh -c " + systemd_word(R"(cd -- "$1" && shift && exec "$@")", dollar::is_variable) + " sh "
         + systemd_word(sync.folder, dollar::is_variable);
  for (auto& word : sync.command)
    out += " " + systemd_word(word, dollar::is_variable);
  return out + "\n";
}

std::string systemd_timer() {
  return comment_line() + "[Unit]\nDescription=code-executor: sync once a day\n\n[Timer]\nOnCalendar=*-*-* "
         + two_digits(sync_hour) + ":" + two_digits(sync_minute)
         + ":00\nRandomizedDelaySec=20min\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n";
}

std::string systemd_wants() { return comment_line() + "[Unit]\nWants=" + timer_name + "\n"; }

msg::outcome<std::string> launchd_list(const daily_sync& sync) {
  for (auto& text : texts_of(sync))
    if (!is_xml(text))
      return can_not_say(text, "has characters that a property list can not have");
  auto string = [](const std::string& text) { return "<string>" + xml_text(text) + "</string>\n"; };
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- " + std::string{sync_mark}
                    + " -->\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                      "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n"
                      "  <key>Label</key>\n  "
                    + string(launchd_label) + "  <key>ProgramArguments</key>\n  <array>\n";
  for (auto& word : sync.command)
    out += "    " + string(word);
  out += "  </array>\n  <key>WorkingDirectory</key>\n  " + string(sync.folder)
         + "  <key>EnvironmentVariables</key>\n  <dict>\n";
  for (auto& [name, value] : sync.variables)
    out += "    <key>" + xml_text(name) + "</key>\n    " + string(value);
  auto number = [](const char* key, int value) {
    return std::string{"    <key>"} + key + "</key>\n    <integer>" + std::to_string(value) + "</integer>\n";
  };
  return out + "  </dict>\n  <key>StartCalendarInterval</key>\n  <dict>\n" + number("Hour", sync_hour)
         + number("Minute", sync_minute)
         + "  </dict>\n  <key>ProcessType</key>\n  <string>Background</string>\n</dict>\n</plist>\n";
}

std::string sync_script(const daily_sync& sync) {
  auto out = "#!/bin/sh\n" + comment_line();
  for (auto& [name, value] : sync.variables)
    out += "export " + name + "=" + shell_word(value) + "\n";
  out += "cd -- " + shell_word(sync.folder) + " || exit\nexec";
  for (auto& word : sync.command)
    out += " " + shell_word(word);
  return out + " >/dev/null 2>&1\n"; // cron would mail it; how it went is in the record of the sync
}

msg::outcome<std::string> crontab_block(const std::string& script) {
  if (script.find('\\') != script.npos || text::find_control(script) != script.npos)
    return can_not_say(script, "has a backslash, or ends a line: there is no way to say that in a crontab");
  auto command = "/bin/sh " + shell_word(script);
  for (size_t at = command.find('%'); at != command.npos; at = command.find('%', at + 2))
    command.insert(at, "\\"); // bare it would end the command
  if (command.size() > cron_command_bytes_max)
    return can_not_say(script, "is longer than what a line of a crontab may have");
  return std::string{block_begin} + std::to_string(sync_minute) + " " + std::to_string(sync_hour) + " * * * " + command
         + "\n" + std::string{block_end};
}

std::string block_in(std::string_view crontab) {
  auto [begin, end] = place_of_block(crontab);
  return begin == crontab.npos ? std::string{} : std::string{crontab.substr(begin, end - begin)};
}

std::string with_block(std::string_view crontab, const std::string& block) {
  auto [begin, end] = place_of_block(crontab);
  if (begin != crontab.npos)
    return std::string{crontab.substr(0, begin)} + block + std::string{crontab.substr(end)};
  bool needs_end = !block.empty() && !crontab.empty() && !crontab.ends_with('\n');
  return std::string{crontab} + (needs_end ? "\n" : "") + block;
}

} // namespace setup
