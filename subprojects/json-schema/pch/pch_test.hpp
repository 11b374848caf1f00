
#include "pch.hpp"

#include <gtest/gtest.h>
