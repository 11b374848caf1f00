#include "proxy/artifacts/store.hpp"

#include "messages/limits.hpp"
#include "proxy/artifacts/handle.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <utime.h>

namespace outputs_store_test {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::artifact_operation;
using msg::artifact_part;
using msg::errc;
using msg::large_artifact;
using namespace std::chrono_literals;

class output_store_test : public testing::Test {
protected:
  artifacts::store_options options(uint64_t bytes_max = 1u << 20) {
    return {folder_.path("state/outputs"), 60s, bytes_max, [this] { return now_; }};
  }
  static large_artifact text(std::string head, std::string tail = {}, uint64_t dropped = 0) {
    return {artifacts::new_handle(), artifact_part::output, 0, {std::move(head), std::move(tail), dropped}, {}};
  }
  static large_artifact value(std::string_view json) {
    return {artifacts::new_handle(), artifact_part::result, 0, {}, test::doc(json)};
  }

  /// The handle, or a failed test.
  std::string keep(artifacts::store& store, large_artifact large) {
    auto kept = store.run({artifact_operation::keep, {std::move(large)}, {}});
    EXPECT_TRUE(kept.ok()) << kept.error.message;
    return kept.ok() && kept.value.kept.size() == 1 ? kept.value.kept[0].handle : "";
  }
  std::string read(artifacts::store& store, const std::string& handle, std::string path = {}) {
    auto got = store.run({artifact_operation::read, {}, {handle, std::move(path), 0, msg::artifact_query::no_limit}});
    return got.ok() ? got.value.value.text() : std::string{to_string(got.error.code)};
  }
  size_t files() const {
    std::error_code ec;
    fs::directory_iterator it{folder_.path("state/outputs"), ec};
    return static_cast<size_t>(std::distance(it, {}));
  }

  std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
  test::folder folder_;
  artifacts::store store_{options()};
};

TEST_F(output_store_test, gives_back_what_it_keeps) {
  auto a = keep(store_, text("a\nb\n")), b = keep(store_, value(R"({"items":[1,2.5,"é"]})")),
       c = keep(store_, value("\"a text\""));
  EXPECT_EQ(read(store_, a), R"("a\nb\n")");
  EXPECT_EQ(read(store_, b), R"({"items":[1,2.5,"é"]})");
  EXPECT_EQ(read(store_, b, "items[1]"), "2.5");
  EXPECT_EQ(read(store_, c), "\"a text\"");
}

TEST_F(output_store_test, describes_what_it_keeps) {
  auto kept = store_
                .run({artifact_operation::keep,
                      {text("abc"), {"out_abcdefghij", artifact_part::display, 7, {}, test::doc("[1]")}},
                      {}})
                .value.kept;
  ASSERT_EQ(kept.size(), 2u);
  auto expires = std::chrono::duration_cast<std::chrono::seconds>((now_ + 60s).time_since_epoch()).count();
  EXPECT_EQ(kept[0].part, artifact_part::output);
  EXPECT_EQ(kept[0].bytes, 3u);
  EXPECT_FALSE(kept[0].is_json);
  EXPECT_EQ(kept[0].expires_s, expires);
  EXPECT_EQ(kept[1].part, artifact_part::display);
  EXPECT_EQ(kept[1].index, 7u);
  EXPECT_TRUE(kept[1].is_json);
  EXPECT_EQ(kept[1].handle, "out_abcdefghij");
}

TEST_F(output_store_test, a_text_whose_middle_was_dropped_says_so) {
  EXPECT_EQ(read(store_, keep(store_, text("head", "tail", 12))),
            R"("head\n\n[... 12 bytes were not kept: a run holds 16 MiB ...]\n\ntail")");
}

TEST_F(output_store_test, what_a_program_printed_becomes_valid_text) {
  EXPECT_EQ(read(store_, keep(store_, text("a\xff"))), "\"a\xEF\xBF\xBD\"");
}

TEST_F(output_store_test, is_for_its_owner_alone) {
  auto handle = keep(store_, text("secret"));
  struct stat s {};
  ASSERT_EQ(::stat(folder_.path("state/outputs").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(folder_.path("state").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(folder_.path("state/outputs/" + handle + ".txt").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

TEST_F(output_store_test, expires) {
  auto handle = keep(store_, text("x"));
  now_ += 59s;
  EXPECT_EQ(read(store_, handle), "\"x\"");
  now_ += 1s;
  EXPECT_EQ(read(store_, handle), "unknown_handle");
  EXPECT_EQ(files(), 1u);
  store_.sweep();
  EXPECT_EQ(files(), 0u);
}

TEST_F(output_store_test, sweeps_when_it_writes) {
  keep(store_, text("x"));
  now_ += 61s;
  keep(store_, text("y"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(output_store_test, the_oldest_make_room) {
  artifacts::store store{options(1'000)};
  auto a = keep(store, text(std::string(400, 'a')));
  now_ += 1ms;
  auto b = keep(store, text(std::string(400, 'b')));
  now_ += 1ms;
  auto c = keep(store, text(std::string(400, 'c')));
  EXPECT_EQ(read(store, a), "unknown_handle");
  EXPECT_NE(read(store, b), "unknown_handle");
  EXPECT_NE(read(store, c), "unknown_handle");
}

TEST_F(output_store_test, who_keeps_most_makes_room_and_not_others) {
  artifacts::store store{options(1'000)};
  auto of = [](std::string_view owner, size_t bytes) {
    auto out = text(std::string(bytes, 'x'));
    out.handle = artifacts::owned(out.handle, owner);
    return out;
  };
  auto read_as = [&](std::string_view owner, const std::string& handle) {
    return store
      .run({artifact_operation::read, {}, {handle, {}, 0, msg::artifact_query::no_limit}, 0, std::string{owner}})
      .ok();
  };
  auto modest = keep(store, of("session a", 300)); // the oldest of all
  auto nameless = keep(store, text(std::string(100, '-')));
  std::string last;
  for (int i = 0; i < 10; ++i) {
    now_ += 1ms;
    last = keep(store, of("session b", 250));
    EXPECT_TRUE(read_as("session b", last)) << i;
  }
  EXPECT_TRUE(read_as("session a", modest));
  EXPECT_TRUE(read_as("", nameless));
  EXPECT_EQ(files(), 4u) << "two of the one who has most";
  now_ += 1ms;
  auto next = keep(store, of("session a", 300)); // now both have most, and it would have more
  EXPECT_TRUE(read_as("session a", next));
  EXPECT_FALSE(read_as("session a", modest));
  EXPECT_TRUE(read_as("session b", last));
  EXPECT_FALSE(store.run({artifact_operation::keep, {of("session b", 1'001)}, {}}).ok());
  EXPECT_EQ(files(), 4u) << "what has no room at all drives out nothing";
}

TEST_F(output_store_test, outputs_of_one_run_make_room_for_those_behind_them) {
  artifacts::store store{options(1'000)};
  auto before = keep(store, text(std::string(400, '-')));
  now_ += 1ms;
  std::vector<large_artifact> all;
  for (char of : {'a', 'b', 'c'})
    all.push_back(text(std::string(400, of)));
  auto kept = store.run({artifact_operation::keep, all, {}});
  ASSERT_TRUE(kept.ok()) << kept.error.message;
  EXPECT_EQ(read(store, before), "unknown_handle");
  EXPECT_EQ(read(store, all[0].handle), "unknown_handle");
  EXPECT_NE(read(store, all[1].handle), "unknown_handle");
  EXPECT_NE(read(store, all[2].handle), "unknown_handle");
  EXPECT_EQ(files(), 2u);
}

TEST_F(output_store_test, what_is_larger_than_all_may_be_is_refused) {
  artifacts::store store{options(1u << 20)};
  auto kept = store.run({artifact_operation::keep, {text(std::string(2u << 20, 'x'))}, {}});
  EXPECT_EQ(kept.error.code, errc::limit_exceeded);
  EXPECT_NE(kept.error.message.find("outputs.maxMb"), std::string::npos);
  auto some = store.run({artifact_operation::keep, {text(std::string(2u << 20, 'x')), text("y")}, {}});
  EXPECT_TRUE(some.ok()) << "one of two is better than none";
  EXPECT_EQ(some.value.kept.size(), 1u);
}

TEST_F(output_store_test, handles_that_are_none) {
  keep(store_, text("x"));
  folder_.write("state/secret.json", "[1]");
  for (auto* handle : {"", "out_aaaaaaaaaa", "../secret", "out_/../secret", "/etc/passwd", "out_aaaaaaaaaa\0"}) {
    auto got = store_.run({artifact_operation::read, {}, {handle, "", 0, 1}});
    EXPECT_EQ(got.error.code, errc::unknown_handle) << handle;
    EXPECT_FALSE(got.error.message.empty());
  }
}

TEST_F(output_store_test, does_not_follow_links) {
  auto handle = keep(store_, text("x"));
  auto file = folder_.path("state/outputs/" + handle + ".txt");
  fs::remove(file);
  fs::create_symlink(folder_.write("elsewhere", "secret"), file);
  EXPECT_EQ(read(store_, handle), "unknown_handle");
}

TEST_F(output_store_test, reads_values_by_many_parts_without_reading_the_files_again) {
  auto handle = keep(store_, value("[1,2]")), other = keep(store_, value("[3]"));
  auto file = folder_.path("state/outputs/" + handle + ".json");
  EXPECT_EQ(read(store_, handle, "[0]"), "1");
  auto times = fs::last_write_time(file);
  folder_.write("state/outputs/" + handle + ".json", "[5,6]");
  fs::last_write_time(file, times);
  EXPECT_EQ(read(store_, handle, "[1]"), "2");
  EXPECT_EQ(read(store_, other), "[3]");
  EXPECT_EQ(read(store_, handle, "[1]"), "2") << "two in turn both stay";
  folder_.write("state/outputs/" + handle + ".json", "[7,8]");
  fs::last_write_time(file, times);
  for (size_t i = 0; i < msg::limits::outputs_parsed_max; ++i) {
    auto another = keep(store_, value("[0]"));
    read(store_, another);
  }
  EXPECT_EQ(read(store_, handle, "[1]"), "8") << "only so many stay";
  folder_.write("state/outputs/" + handle + ".json", "[9,8]");
  fs::last_write_time(file, times);
  EXPECT_EQ(read(store_, handle, "[0]"), "7");
  store_.forget();
  EXPECT_EQ(read(store_, handle, "[0]"), "9");
  fs::remove(file);
  EXPECT_EQ(read(store_, handle, "[1]"), "unknown_handle") << "what is gone is gone";
}

TEST_F(output_store_test, a_damaged_file_is_a_clear_error) {
  auto handle = keep(store_, value("[1,2]"));
  auto file = folder_.path("state/outputs/" + handle + ".json");
  auto times = fs::last_write_time(file);
  folder_.write("state/outputs/" + handle + ".json", "[1,");
  fs::last_write_time(file, times);
  EXPECT_EQ(read(store_, handle), "internal");
}

TEST_F(output_store_test, two_stores_share_a_folder) {
  artifacts::store other{options()};
  auto a = keep(store_, text("a"));
  auto b = keep(other, text("b"));
  EXPECT_EQ(read(other, a), "\"a\"");
  EXPECT_EQ(read(store_, b), "\"b\"");
  for (auto& [of, handle] : {std::pair{&store_, a}, std::pair{&other, b}}) {
    auto listed = of->run({}).value.kept;
    ASSERT_EQ(listed.size(), 1u) << "each lists its own";
    EXPECT_EQ(listed[0].handle, handle);
  }
}

TEST_F(output_store_test, the_expiry_is_the_writers) {
  auto shorter = options();
  shorter.ttl = 1s;
  artifacts::store other{std::move(shorter)};
  auto mine = keep(store_, text("x"));
  now_ += 10s;
  keep(other, text("y"));
  EXPECT_EQ(read(other, mine), "\"x\"");
}

TEST_F(output_store_test, lists_the_youngest_first) {
  std::vector<std::string> handles;
  for (int i = 0; i < 120; ++i) {
    now_ += 100ms;
    handles.push_back(keep(store_, text("x")));
  }
  auto kept = store_.run({}).value.kept;
  ASSERT_EQ(kept.size(), msg::limits::outputs_listed_max);
  for (size_t i = 1; i < kept.size(); ++i)
    EXPECT_GE(kept[i - 1].expires_s, kept[i].expires_s);
}

TEST_F(output_store_test, is_read_as_a_resource) {
  auto handle = keep(store_, value("[1,2]"));
  auto got = store_.run({artifact_operation::fetch, {}, {handle, "", 0, 0}});
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(got.value.value.value(),
            json::value(json::object{{"contents", json::array{json::object{{"uri", "code-executor://outputs/" + handle},
                                                                           {"mimeType", "application/json"},
                                                                           {"text", "[1,2]"}}}}}));
}

TEST_F(output_store_test, without_a_folder_nothing_is_kept) {
  artifacts::store store{{"", 60s, 1'000}};
  auto kept = store.run({artifact_operation::keep, {text("x")}, {}});
  EXPECT_EQ(kept.error.code, errc::internal);
  EXPECT_NE(kept.error.message.find("stateDir"), std::string::npos);
  EXPECT_EQ(store.run({}).value.kept.size(), 0u);
  store.sweep();
}

TEST_F(output_store_test, what_stands_in_the_way_of_the_folder_is_named) {
  folder_.write("state/outputs", "a file");
  auto kept = store_.run({artifact_operation::keep, {text("x")}, {}});
  EXPECT_NE(kept.error.message.find("state/outputs"), std::string::npos) << kept.error.message;
}

TEST_F(output_store_test, removes_what_was_never_finished) {
  keep(store_, text("x"));
  folder_.write("state/outputs/.new-abcdef", "half");
  folder_.write("state/outputs/notes.txt", "not ours");
  store_.sweep();
  EXPECT_EQ(files(), 3u) << "another server may be writing it";
  now_ += 3'600s;
  store_.sweep();
  EXPECT_EQ(files(), 1u) << "what is not ours stays";
}

TEST(output_clock, does_not_follow_one_that_is_set) {
  auto begin = std::chrono::system_clock::time_point{} + 24h; // as if the machine had no clock of its own
  auto clock = artifacts::time_since(begin);
  auto first = clock();
  EXPECT_GE(first, begin);
  EXPECT_GE(clock(), first);
  EXPECT_LT(clock(), begin + 24h);
}

} // namespace outputs_store_test
