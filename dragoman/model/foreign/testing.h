// Helpers for tests of the readers of other programs' files: writers of small files, and a test with damaged copies of
// a file.
#pragma once

#include "dragoman/base/testing.h"
#include "dragoman/model/foreign/writers_testing.h"
