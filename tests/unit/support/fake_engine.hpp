// A program that answers like podman, and writes down what it was asked.
#pragma once

#include "sandbox/container/container_engine.hpp"
#include "testing/folder.hpp"

#include <asio/io_context.hpp>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace test {

class fake_engine {
public:
  fake_engine() {
    folder_.write("info",
                  R"({"host": {"cgroupVersion": "v2", "ociRuntime": {"name": "crun"}, "security": {"rootless": true}},
                              "store": {"graphDriverName": "overlay"}})");
    folder_.write("probe", R"({"memory": 536870912, "pids": 128, "cpus": 0})");
    for (auto* file : {"python/main.py", "container/connect.py", "container/seccomp.json"})
      std::filesystem::permissions(folder_.write(std::string{"guest/"} + file, ""), std::filesystem::perms{0644});
    for (auto* place : {"guest", "guest/python", "guest/container"})
      std::filesystem::permissions(folder_.path(place), std::filesystem::perms{0755});
    folder_.write_program("bin/runc");
    when("run", "cat " + path("probe"));
    when("ps", "true");
    when("image", "echo id");
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  /// What `podman <verb>` does, in shell. "$@" is everything after the engine's own options.
  void when(const std::string& verb, const std::string& script) {
    folder_.write("on-" + verb, script + "\n");
    auto here = folder_.path();
    folder_.write_program("bin/podman", "#!/bin/sh\nexport PATH=/usr/bin:/bin\necho \"$*\" >> " + here
                                          + "/log\n[ \"$1\" = --runtime ] && runtime=$2 && shift 2\n"
                                          + "case $1 in\ninfo) cat " + here + "/info ;;\n" + "run|ps|image|rm) [ -f "
                                          + here + "/on-$1 ] && . " + here + "/on-$1 ;;\nesac\n");
  }
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  /// A line per command since the last time.
  std::string log() {
    std::ifstream file{path("log")};
    file.seekg(told_); // what is removed could have another line by then
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    told_ += static_cast<std::streamoff>(text.size());
    return text;
  }
  std::shared_ptr<sandbox::container_host> host(asio::io_context& io, sandbox::container_settings settings = {}) {
    if (settings.runtime.empty())
      settings.runtime = path("bin/podman");
    sandbox::container_places places{path("bin"), path("guest"), path("state"),
                                     [](std::string_view) { return std::string{}; }};
    return std::make_shared<sandbox::container_host>(io.get_executor(), settings, places);
  }

private:
  test::folder folder_;
  std::streamoff told_ = 0;
};

} // namespace test
