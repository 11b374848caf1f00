#include "proxy/surface/health.hpp"

#include "proxy/listed_servers.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace tools_health_test {

namespace json = boost::json;

msg::health_report some_health() {
  msg::health_report h;
  h.uptime_ms = 61'500;
  h.runs_running = 2;
  h.runs_queued = 1;
  h.runs_max = 100;
  h.queue_max = 200;
  h.start.isolation.mode = "namespaces";
  h.audit.enabled = true;
  h.audit.folder = "/logs";
  h.audit.written = 7;
  h.audit.counts.runs_succeeded = 5;
  h.audit.counts.runs_timed_out = 1;
  h.machine.disk_bytes = uint64_t{100} << 30;
  h.machine.disk_free_bytes = uint64_t{50} << 30;
  msg::pool_status pool;
  pool.waiting = 1;
  h.pools = {pool};
  msg::server_status ready, failing;
  ready.name = "with \"quotes\"\n";
  ready.state = msg::server_state::ready;
  ready.starts = 1;
  failing.name = "failing";
  failing.state = msg::server_state::backing_off;
  failing.breaker = msg::breaker_state::open;
  failing.starts = 3;
  failing.last_error = "it ended";
  h.servers = {ready, failing};
  return h;
}

TEST(health, tells_the_truth) {
  auto doc = surface::health_doc(some_health());
  EXPECT_TRUE(doc.at("healthy").as_bool());
  EXPECT_EQ(doc.at("uptime").as_double(), 61.5);
  EXPECT_EQ(doc.at("auditLog"), test::value(R"({"enabled":true,"path":"/logs","written":7,"lost":0,"waiting":0})"));
  EXPECT_EQ(doc.at("connectionPool"), test::value(R"({"active":2,"waiting":1,"max":100,"queueMax":200,"finished":0})"));
  EXPECT_EQ(doc.at("servers").at("byState"), test::value(R"({"connected":1,"failed":1})"))
    << json::serialize(doc.at("servers"));
  EXPECT_EQ(doc.at("servers").at("byBreaker"), test::value(R"({"closed":1,"open":1})"));
  EXPECT_EQ(doc.at("servers").at("list").at(1).at("breaker"), "open");
  EXPECT_EQ(doc.at("problems"), test::value(R"(["server 'failing' keeps failing: it ended"])"));
  EXPECT_EQ(doc.at("mcpClients").at("connected"), 1);
}

TEST(health, one_end_of_a_server_is_not_called_more) {
  auto now = some_health();
  now.servers[1].breaker = msg::breaker_state::closed;
  now.servers[1].state = msg::server_state::backing_off;
  EXPECT_EQ(surface::health_doc(now).at("problems"),
            test::value(R"(["server 'failing' has ended, and is started again by the next call: it ended"])"));
}

TEST(health, one_that_reads_nothing_is_called_so) {
  auto now = some_health();
  now.servers[1].breaker = msg::breaker_state::closed;
  now.servers[1].state = msg::server_state::ready;
  now.servers[1].unread_ms = 15'000;
  now.servers[1].last_error = "it has not read its requests for 15.0 s: it is busy, or hangs";
  EXPECT_EQ(surface::health_doc(now).at("problems"),
            test::value(R"(["server 'failing': it has not read its requests for 15.0 s: it is busy, or hangs"])"));
}

TEST(health, what_should_be_looked_at) {
  auto h = some_health();
  h.servers.clear();
  EXPECT_EQ(surface::health_doc(h).at("problems"), test::value("[]"));
  h.audit.last_error = "No space left on device";
  h.machine.disk_free_bytes = 1;
  h.machine.state_folder = "/state";
  h.silent = {"connector"};
  EXPECT_EQ(surface::health_doc(h).at("problems").as_array().size(), 3u);
  h.catalog_problem = "the file is locked";
  h.start.isolation.lost = {"can not make a cgroup"};
  EXPECT_EQ(surface::health_doc(h).at("problems").as_array().size(), 5u);
}

TEST(health, is_healthy_while_programs_can_be_run) {
  auto h = some_health();
  h.start.python_problem = "no Python";
  EXPECT_TRUE(surface::is_healthy(h));
  h.start.typescript_problem = "no Deno";
  EXPECT_FALSE(surface::is_healthy(h));
  h = some_health();
  h.silent = {"connector"};
  EXPECT_FALSE(surface::is_healthy(h));
  h = some_health();
  h.start.isolation.mode = "none";
  EXPECT_FALSE(surface::is_healthy(h));
}

TEST(health, without_descriptors_no_program_can_be_run) {
  auto h = some_health();
  h.servers.clear();
  h.machine.descriptors = 30;
  h.machine.descriptors_max = 1'024;
  EXPECT_TRUE(surface::is_healthy(h));
  h.machine.descriptors_max = 40;
  EXPECT_FALSE(surface::is_healthy(h));
  h.machine.descriptors_max = 1'024;
  h.machine.descriptors = 1'020;
  EXPECT_FALSE(surface::is_healthy(h));
  EXPECT_EQ(surface::health_doc(h).at("problems").as_array().size(), 1u);
}

TEST(health, is_ready_while_one_more_run_finds_a_place) {
  auto h = some_health();
  EXPECT_TRUE(surface::is_ready(h));
  h.runs_running = h.runs_max;
  EXPECT_TRUE(surface::is_ready(h));
  h.runs_queued = h.queue_max;
  EXPECT_FALSE(surface::is_ready(h));
}

TEST(metrics, are_the_text_format_of_prometheus) {
  std::istringstream in{surface::metrics_text(some_health())};
  std::set<std::string> helped, typed, samples;
  std::string current;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string first, second, name;
    words >> first >> second >> name;
    if (first == "#") {
      EXPECT_TRUE((second == "HELP" ? helped : typed).insert(name).second) << "twice: " << line;
      current = name;
      continue;
    }
    auto end = line.find_first_of("{ ");
    EXPECT_EQ(line.substr(0, end), current) << "samples of one metric stand together";
    EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << "twice: " << line;
    EXPECT_EQ(line.find_first_not_of("0123456789", line.rfind(' ') + 1), line.npos) << line;
  }
  EXPECT_EQ(helped, typed);
  EXPECT_GE(helped.size(), 25u);
}

TEST(health, is_bounded_whatever_a_project_names) {
  auto h = some_health();
  msg::server_status waiting;
  waiting.state = msg::server_state::unapproved;
  waiting.source = "/p/.mcp.json";
  h.servers.resize(500, waiting);
  h.start.config_problems.assign(1'000, "wrong");
  h.start.config_files.assign(1'000, "/p/mcp-servers/a.json");
  auto doc = surface::health_doc(h);
  EXPECT_EQ(doc.at("servers").at("configured"), 500);
  EXPECT_EQ(doc.at("servers").at("list").as_array().size(), proxy::listed_waiting_max + 2);
  EXPECT_EQ(doc.at("servers").at("more"), test::value(R"([{"file":"/p/.mcp.json","more":448}])"));
  EXPECT_EQ(doc.at("configuration").at("problems").as_array().back(), "and 950 more problems");
  EXPECT_EQ(doc.at("configuration").at("files").as_array().back(), "and 900 more files");
  EXPECT_LT(json::serialize(doc).size(), 20'000u);
}

TEST(metrics, say_what_happened) {
  auto text = surface::metrics_text(some_health());
  for (auto line : {R"(code_executor_runs_total{result="success"} 5)",
                    R"(code_executor_runs_total{result="timeout"} 1)", "code_executor_runs_running 2",
                    R"(code_executor_servers{state="connected"} 1)", R"(code_executor_servers{state="idle"} 0)",
                    "code_executor_audit_lines_written_total 7", R"(code_executor_server_breaker{server="failing"} 2)",
                    R"(code_executor_server_starts_total{server="with \"quotes\"\n"} 1)",
                    R"(code_executor_pool_guests{runtime="TypeScript"} 1)", "code_executor_uptime_seconds 61",
                    "code_executor_healthy 1"})
    EXPECT_NE(text.find(std::string{line} + "\n"), std::string::npos) << line;
}

} // namespace tools_health_test
