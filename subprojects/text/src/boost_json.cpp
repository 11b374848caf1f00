// Boost.JSON is used header-only: its one translation unit.
#include <boost/json/src.hpp>
