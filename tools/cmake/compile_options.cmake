# Flags that every target of ours gets, and nobody who links us.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(ropeproof_options INTERFACE)
target_compile_options(ropeproof_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  $<$<BOOL:${ROPEPROOF_WERROR}>:-Werror>)
# Of the time that g++ takes for a unity file, its collector is a sixth, and warnings a tenth. A
# file whose memory is not collected takes 2.3 GB at most, in place of 1.7.
if(ROPEPROOF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ropeproof_options INTERFACE --param=ggc-min-heapsize=1048576
    $<$<BOOL:${ROPEPROOF_QUICK}>:-w>)
endif()
# g++ 12 sees overlapping copies in std::string's operator+ (GCC PR 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ropeproof_options INTERFACE -Wno-restrict)
endif()
# With sanitizers g++ no longer sees that an std::optional guards its value.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_compile_options(ropeproof_options INTERFACE -Wno-maybe-uninitialized)
endif()
