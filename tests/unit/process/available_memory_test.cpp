#include "process/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace available_memory_test {

namespace fs = std::filesystem;

class AvailableMemory : public testing::Test {
protected:
  AvailableMemory() {
    auto name = (fs::temp_directory_path() / "available-memory-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::create_directories(folder_ / "memory");
  }
  ~AvailableMemory() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream{folder_ / name} << text; }
  uint64_t found() const { return process::available_memory(folder_, folder_); }

private:
  fs::path folder_;
};

TEST_F(AvailableMemory, IsThatOfTheMachine) {
  write("meminfo", "MemTotal:       24576000 kB\nMemFree:  5 kB\nMemAvailable:    2048 kB\n");
  EXPECT_EQ(found(), 2048U << 10U);
  EXPECT_GT(process::available_memory(), 1U << 20U) << "of this one";
}

TEST_F(AvailableMemory, OfAContainerIsLess) {
  write("meminfo", "MemAvailable:    1000 kB\n");
  write("memory.max", "1000000\n");
  write("memory.current", "900000\n");
  EXPECT_EQ(found(), 100'000U);
  write("memory.stat", "anon 1\ninactive_file 300000\n");
  EXPECT_EQ(found(), 400'000U) << "what is only a copy of files can go";
  write("memory.max", "max\n");
  EXPECT_EQ(found(), 1'024'000U);
}

TEST_F(AvailableMemory, OfAContainerOfTheFirstVersion) {
  write("meminfo", "MemAvailable:    1000 kB\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("memory/memory.usage_in_bytes", "900000\n");
  EXPECT_EQ(found(), 1'024'000U) << "no limit";
  write("memory/memory.limit_in_bytes", "500000\n");
  EXPECT_EQ(found(), 0U) << "more is in use than may be";
}

TEST_F(AvailableMemory, IsPlentyWhereNothingTellsIt) { EXPECT_EQ(found(), UINT64_MAX); }

} // namespace available_memory_test
