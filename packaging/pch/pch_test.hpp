
#include "pch.hpp"

#include <caf/scheduler/test_coordinator.hpp>
#include <gtest/gtest.h>
