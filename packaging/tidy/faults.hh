// Of faults.cc: what is found in a header, and in a template.
#pragma once
#include <map>
#include <string>
#include <utility>

template <class T>
struct mover {
  mover(T v) : value{v} {}
  mover(mover&& other) : value{other.value} {} // noexcept-move-constructor
  T value;
};

inline void walk(const std::map<int, std::string>& all) {
  for (const std::pair<int, std::string>& one : all) // implicit-conversion-in-loop
    (void)one;
}
