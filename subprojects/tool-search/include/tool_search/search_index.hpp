// All tools in memory as terms, so that a question looks at few of them. Built per server, turned round in one go.
// One thread at a time.
#pragma once

#include "tool_search/vocabulary.hpp"
#include "tool_search/weights.hpp"
#include "tool_search/words.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tool_search {

/// What of a tool is searched.
struct tool_text {
  std::string name;
  std::string description;
  std::string parameter_names;        ///< with anything between them
  std::string parameter_descriptions; ///< likewise
};

enum class field : uint8_t { name, server, description, parameter_names, parameter_descriptions };
constexpr size_t field_count = 5;

/// Words of one field of one tool that are looked at. The longest description of 5,000 real tools has 1,300 words.
constexpr size_t field_words_max = 4'000;
/// Words of all tools of one server that are looked at: half a second. Of tools beyond, the names are. 1,000 tools of
/// real servers have 60,000.
constexpr size_t server_words_max = 200'000;
/// Tools in the index; more are left out. A posting has 24 bits for the tool.
constexpr size_t tools_max = 1U << 24U;

/// One tool under one term: which, and how much the tool has of it.
struct posting {
  uint32_t tool : 24;
  uint32_t impact : 8; ///< tf / (k1 + tf) of BM25, in 255ths
};

uint32_t pair_hash(term_id first, term_id second);

class search_index {
public:
  explicit search_index(const weights& w = {}) : weights_(w) {}

  /// The tools of one server, read one after the other, for set_server(). The index is what it was meanwhile, and
  /// outlives it.
  class reading;

  /// Both change what build() makes; until then only they may be called. set_server replaces what is known of the
  /// server.
  void set_server(reading&& tools);
  void set_server(const std::string& server, const std::vector<tool_text>& tools);
  void remove_server(const std::string& server);
  /// Gives every tool its number, in order of server, then as given, and finds what each term leads to. About 30 ms for
  /// 23,000 tools.
  void build();

  size_t size() const { return places_.size(); }
  const std::string& server_of(uint32_t tool) const { return servers_[places_[tool].part]->first; }
  std::string_view name_of(uint32_t tool) const;
  size_t server_number(uint32_t tool) const { return places_[tool].part; }
  /// Its place among the tools of its server, in the order given.
  uint32_t position_of(uint32_t tool) const { return places_[tool].tool; }
  /// The numbers of its tools: the first, and how many follow on. {0, 0}: there are none.
  std::pair<uint32_t, uint32_t> tools_of(const std::string& server) const;
  size_t server_count() const { return servers_.size(); }
  const std::string& server_name(size_t number) const { return servers_[number]->first; }

  const weights& numbers() const { return weights_; }
  /// Terms that no tool has any more; they stay until the index is made anew.
  size_t unused_terms() const;
  const vocabulary& terms() const { return terms_; }
  const stemmer& stems() const { return stemmer_; }
  std::span<const posting> postings(term_id term) const;
  /// ln of how rare the term is, as in BM25; counted where tools say what they do (name and description).
  float idf(term_id term) const { return term < idf_.size() ? idf_[term] : rarest_; }
  /// Terms of the tool's name, each once.
  std::span<const term_id> name_terms(uint32_t tool) const;
  /// pair_hash() of terms that stand side by side in the name, or in the description if fillers are left out; sorted.
  std::span<const uint32_t> pairs(uint32_t tool) const;
  /// Tools whose description says that another should be used, in order of their numbers.
  std::span<const posting> deprecated() const;
  /// Tools whose name begins like this, in order of the rest. Takes and compares skeletons.
  std::span<const uint32_t> names_beginning_with(std::string_view skeleton) const;
  /// Terms of the server's name, without what many servers are called.
  const std::vector<term_id>& server_terms(size_t number) const { return servers_[number]->second.server_terms; }
  /// All terms of the tool, in order: what tells near-identical tools from others.
  std::span<const term_id> all_terms(uint32_t tool) const;

private:
  friend struct index_image; ///< see snapshot.cpp
  term_id term_of(const std::string& word);

  using counts = uint16_t; ///< occurrences in each field, capped: 3, 2, 4, 3 and 4 bits
  struct extent {
    uint32_t terms_end = 0, names_end = 0, pairs_end = 0, name_end = 0; ///< in the arrays of the part
    std::array<uint16_t, field_count> words{};                          ///< length of each field
  };
  /// The tools of one server, one after the other.
  struct part {
    std::vector<extent> tools;
    std::vector<term_id> terms; ///< of each tool in order
    std::vector<counts> how_often;
    std::vector<term_id> name_terms;
    std::vector<uint32_t> pairs; ///< hashes, of each tool in order
    std::string names;
    std::vector<term_id> server_terms;
  };
  struct place {
    uint32_t part, tool;
  };

  const part& part_of(uint32_t tool) const { return servers_[places_[tool].part]->second; }
  extent before(uint32_t tool) const;
  const extent& end_of(uint32_t tool) const { return part_of(tool).tools[places_[tool].tool]; }
  void give_numbers();
  void sort_names();
  std::array<float, field_count> average_words() const;
  void count_postings();
  void fill_postings();
  float impact(const extent& tool, counts how_often, const std::array<float, field_count>& average) const;

  weights weights_;
  stemmer stemmer_;
  vocabulary terms_;
  std::unordered_map<std::string, term_id> term_of_word_; ///< stemming is most of the work of building
  std::map<std::string, part> parts_;
  std::vector<std::map<std::string, part>::const_iterator> servers_;
  std::vector<place> places_;
  std::vector<uint32_t> by_name_; ///< tools in order of the skeletons of their names
  std::vector<uint32_t> ends_;    ///< of each term, in postings_
  std::vector<posting> postings_;
  std::vector<float> idf_;
  float rarest_ = 0;
};

class search_index::reading {
public:
  reading(search_index& index, std::string server) : index_(index), server_(std::move(server)) {}
  void add(const tool_text& tool);

private:
  friend class search_index;
  void read_field(field which, std::string_view text, extent& end);
  void count(term_id term, size_t f);
  void store(const tool_text& tool, const std::vector<term_id>& names, extent& end);
  part finish();

  search_index& index_;
  std::string server_;
  part to_;
  size_t words_ = 0; ///< that were looked at
  std::map<term_id, counts> how_often_;
  std::vector<term_id> unique_; ///< of the field read last
  std::vector<uint32_t> pairs_;
};

} // namespace tool_search
