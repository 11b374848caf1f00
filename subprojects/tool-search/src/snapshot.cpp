#include "tool_search/snapshot.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <type_traits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tool_search {

namespace {

/// To be raised with any change of what is written, or of how words are made of texts.
constexpr uint32_t format = 2;
constexpr std::array<char, 8> magic{'C', 'E', 'I', 'N', 'D', 'E', 'X', '\n'};
/// Of reads and writes; longer arrays are read and written as they are.
constexpr size_t buffer_bytes = 64U << 10U;

class owned_descriptor {
public:
  explicit owned_descriptor(int fd) : fd_(fd) {}
  owned_descriptor(const owned_descriptor&) = delete;
  owned_descriptor& operator=(const owned_descriptor&) = delete;
  ~owned_descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_;
};

struct header {
  std::array<char, 8> signature = magic;
  uint32_t version = format;
  uint32_t byte_order = 0x01020304;
  weights numbers;
  uint32_t zero = 0; ///< in place of padding, which operator== would not compare
  uint64_t body_bytes = 0;
  uint64_t checksum = 0;
  bool operator==(const header&) const = default;
};
static_assert(sizeof(header) == sizeof(magic) + 3 * sizeof(uint32_t) + sizeof(weights) + 2 * sizeof(uint64_t));
static_assert(std::is_trivially_copyable_v<header>);

/// Against accidents, not against people: who can write the file can do as he likes anyway. Four sums at once take a
/// quarter of the time: 15 GB/s.
class checksum {
public:
  void add(std::span<const char> bytes) {
    mix(sums_[0], bytes.size());
    size_t i = 0;
    for (; i + sizeof(words) <= bytes.size(); i += sizeof(words)) {
      words w;
      std::memcpy(w.data(), bytes.data() + i, sizeof w);
      for (size_t lane = 0; lane < w.size(); ++lane)
        mix(sums_[lane], w[lane]);
    }
    words rest{};
    if (i < bytes.size())
      std::memcpy(rest.data(), bytes.data() + i, bytes.size() - i);
    for (size_t lane = 0; lane < rest.size(); ++lane)
      mix(sums_[lane], rest[lane]);
  }
  uint64_t value() const {
    uint64_t all = 0;
    for (auto s : sums_)
      mix(all, s);
    return all;
  }

private:
  using words = std::array<uint64_t, 4>;
  static void mix(uint64_t& sum, uint64_t word) { sum = std::rotl((sum ^ word) * 0x9e3779b97f4a7c15U, 29); }
  words sums_{1, 2, 3, 4};
};

class writer {
public:
  explicit writer(int fd) : fd_(fd) { buffer_.reserve(buffer_bytes); }

  template <class T>
  void array(const std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(items.size());
    put({reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)});
  }
  void text(const std::string& s) {
    number(s.size());
    put(s);
  }
  void number(uint64_t n) { put({reinterpret_cast<const char*>(&n), sizeof n}); }
  void number(float n) { put({reinterpret_cast<const char*>(&n), sizeof n}); }

  void put(std::span<const char> bytes) {
    sum_.add(bytes);
    body_bytes_ += bytes.size();
    if (buffer_.size() + bytes.size() > buffer_bytes)
      flush();
    if (bytes.size() > buffer_bytes)
      return write_out(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void flush() {
    write_out(buffer_);
    buffer_.clear();
  }
  bool failed() const { return failed_; }
  uint64_t body_bytes() const { return body_bytes_; }
  uint64_t sum() const { return sum_.value(); }

private:
  void write_out(std::span<const char> bytes) {
    while (!bytes.empty() && !failed_) {
      auto n = ::write(fd_, bytes.data(), bytes.size());
      failed_ = n < 0 && errno != EINTR;
      if (n > 0)
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
  }

  int fd_;
  std::vector<char> buffer_;
  uint64_t body_bytes_ = 0;
  checksum sum_;
  bool failed_ = false;
};

class snapshot_reader {
public:
  snapshot_reader(int fd, uint64_t body_bytes) : fd_(fd), left_(body_bytes), buffer_(buffer_bytes) {}

  template <class T>
  void array(std::vector<T>& items) {
    uint64_t size = 0;
    number(size);
    if (failed_ || size > left_ / sizeof(T))
      return fail();
    items.resize(size);
    get({reinterpret_cast<char*>(items.data()), items.size() * sizeof(T)});
  }
  void text(std::string& s) {
    uint64_t size = 0;
    number(size);
    if (failed_ || size > left_)
      return fail();
    s.resize(size);
    get(s);
  }
  void number(uint64_t& n) { get({reinterpret_cast<char*>(&n), sizeof n}); }
  void number(float& n) { get({reinterpret_cast<char*>(&n), sizeof n}); }

  void get(std::span<char> bytes) {
    if (failed_ || bytes.size() > left_)
      return fail();
    left_ -= bytes.size();
    auto rest = bytes;
    auto known = std::min(rest.size(), end_ - at_);
    std::copy_n(buffer_.data() + at_, known, rest.data());
    at_ += known;
    rest = rest.subspan(known);
    if (rest.size() >= buffer_bytes) {
      fail_unless(read_some(rest) == rest.size());
    } else if (!rest.empty()) {
      end_ = read_some(buffer_);
      fail_unless(end_ >= rest.size());
      at_ = std::min(rest.size(), end_);
      std::copy_n(buffer_.data(), at_, rest.data());
    }
    sum_.add(bytes);
  }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  uint64_t left() const { return left_; }
  uint64_t sum() const { return sum_.value(); }

private:
  void fail_unless(bool is_well) { failed_ |= !is_well; }
  size_t read_some(std::span<char> to) {
    size_t got = 0;
    for (ssize_t n = 1; got < to.size() && n != 0;) {
      n = ::read(fd_, to.data() + got, to.size() - got);
      if (n < 0 && errno != EINTR)
        break;
      got += n > 0 ? static_cast<size_t>(n) : 0;
    }
    return got;
  }

  int fd_;
  uint64_t left_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
  checksum sum_;
  bool failed_ = false;
};

template <class Stream, class Lists>
void pass_lists(Stream& s, Lists& lists) {
  for (auto& l : lists) {
    s.text(l.server);
    s.text(l.digest);
    s.text(l.content);
  }
}

} // namespace

/// The same way through an index for both directions.
struct index_image {
  template <class Stream, class Words>
  static void pass_words(Stream& s, Words& words) {
    s.text(words.texts_);
    s.array(words.ends_);
    s.array(words.sorted_);
    s.array(words.letters_);
  }
  template <class Stream, class Part>
  static void pass_part(Stream& s, Part& p) {
    s.array(p.tools);
    s.array(p.terms);
    s.array(p.how_often);
    s.array(p.name_terms);
    s.array(p.pairs);
    s.text(p.names);
    s.array(p.server_terms);
  }
  template <class Stream, class Index>
  static void pass_results(Stream& s, Index& index) {
    s.array(index.by_name_);
    s.array(index.ends_);
    s.array(index.postings_);
    s.array(index.idf_);
    s.number(index.rarest_);
  }

  static void write(writer& w, const search_index& index) {
    pass_words(w, index.terms_);
    w.number(uint64_t{index.parts_.size()});
    for (auto& [server, part] : index.parts_) {
      w.text(server);
      pass_part(w, part);
    }
    pass_results(w, index);
  }
  static void read(snapshot_reader& r, search_index& index) {
    pass_words(r, index.terms_);
    uint64_t parts = 0;
    for (r.number(parts); parts > 0 && !r.failed(); --parts) {
      std::string server;
      r.text(server);
      pass_part(r, index.parts_.emplace_hint(index.parts_.end(), std::move(server), search_index::part{})->second);
    }
    pass_results(r, index);
  }
  /// What is made of the rest sooner than it is read. Only when it is sure that nothing is damaged.
  static void complete(search_index& index) {
    index.terms_.find_slots();
    index.give_numbers();
  }
};

std::string save_snapshot(const std::string& path, const search_index& index,
                          const std::vector<indexed_list>& made_of) {
  auto temporary = path + ".new-XXXXXX";
  owned_descriptor fd{::mkstemp(temporary.data())};
  auto failed = [&](const char* doing) {
    auto why = path + ": " + doing + ": " + std::strerror(errno);
    ::unlink(temporary.c_str());
    return why;
  };
  if (!fd)
    return failed("can not be made");
  header h;
  h.numbers = index.numbers();
  writer w{fd.get()};
  if (::lseek(fd.get(), sizeof h, SEEK_SET) < 0)
    return failed("can not be written");
  w.number(uint64_t{made_of.size()});
  pass_lists(w, made_of);
  index_image::write(w, index);
  w.flush();
  h.body_bytes = w.body_bytes();
  h.checksum = w.sum();
  if (w.failed() || ::pwrite(fd.get(), &h, sizeof h, 0) != ssize_t{sizeof h})
    return failed("can not be written");
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return failed("can not be put into place");
  return {};
}

std::optional<snapshot> load_snapshot(const std::string& path, const weights& w) {
  owned_descriptor fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  header expected, found;
  expected.numbers = w;
  struct stat status {};
  if (!fd || ::read(fd.get(), &found, sizeof found) != ssize_t{sizeof found} || ::fstat(fd.get(), &status) != 0)
    return std::nullopt;
  expected.body_bytes = static_cast<uint64_t>(status.st_size) - sizeof found;
  expected.checksum = found.checksum;
  if (expected != found)
    return std::nullopt;
  snapshot_reader r{fd.get(), found.body_bytes};
  std::optional<snapshot> out{std::in_place, search_index{w}, std::vector<indexed_list>{}};
  uint64_t lists = 0;
  r.number(lists);
  if (r.failed() || lists > r.left())
    return std::nullopt;
  out->made_of.resize(lists);
  pass_lists(r, out->made_of);
  index_image::read(r, out->index);
  if (r.failed() || r.left() != 0 || r.sum() != found.checksum)
    return std::nullopt;
  index_image::complete(out->index);
  return out;
}

} // namespace tool_search
