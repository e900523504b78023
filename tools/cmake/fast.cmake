# The kernels of fast/; package.cmake installs them for those who want them without the
# suite.
find_package(hwy 1.0.3 REQUIRED)
ropeproof_library(fast)
target_link_libraries(ropeproof_fast PRIVATE hwy::hwy OpenMP::OpenMP_CXX)
target_include_directories(ropeproof_fast INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ropeproof>)
target_compile_features(ropeproof_fast PUBLIC cxx_std_20)
target_compile_options(ropeproof_fast PRIVATE -ffp-contract=off)
# -fno-exceptions: no handlers, so that calls of kernels can be tail calls.
# -fno-tree-ter: keeps the two polynomials interleaved, as they are written.
# -falign-loops=64: where in a line the loop over a run's rows begins is up to a tenth of
# the time of a table (Zen 4, AVX-512).
set_source_files_properties(fast/rotate_heads.cc PROPERTIES COMPILE_OPTIONS -fno-exceptions)
# With AddressSanitizer g++ 12 takes minutes less for so many loops if it checks by calls and
# does not look for where variables are.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
  set_property(SOURCE fast/rotate_heads.cc APPEND PROPERTY COMPILE_OPTIONS
    --param=asan-instrumentation-with-call-threshold=0 -fno-var-tracking)
endif()
set_source_files_properties(fast/angles.cc PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;$<$<CXX_COMPILER_ID:GNU>:-fno-tree-ter>;$<$<CXX_COMPILER_ID:GNU>:-falign-loops=64>")

if(NOT ROPEPROOF_SUITE)
  return()
endif()
# As a plug-in of the suite: the objects are those that its tests link, too.
file(GLOB fast_plugin_sources CONFIGURE_DEPENDS fast/plugin/*.cc)
list(FILTER fast_plugin_sources EXCLUDE REGEX "_test\\.cc$")
set_source_files_properties(fast/plugin/plugin.cc PROPERTIES
  COMPILE_DEFINITIONS ROPEPROOF_VERSION="${PROJECT_VERSION}")
add_library(fast_plugin OBJECT ${fast_plugin_sources})
set_target_properties(fast_plugin PROPERTIES POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden)
target_link_libraries(fast_plugin PUBLIC ropeproof::fast ropeproof::kernel_abi
  PRIVATE hwy::hwy ropeproof_options)
ropeproof_plugin(fast $<TARGET_OBJECTS:fast_plugin>)
set_target_properties(plugin_fast PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(plugin_fast PRIVATE ropeproof::fast hwy::hwy)
