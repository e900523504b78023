# The suite: reference/, conformance/ and the program `ropeproof`.
ropeproof_library(reference)
ropeproof_unity(ropeproof_reference)
target_link_libraries(ropeproof_reference PRIVATE Boost::headers OpenMP::OpenMP_CXX)
# -O2 for the suite: the selftest takes no longer than by -O3, the compiler a quarter less.
target_compile_options(ropeproof_reference PRIVATE -ffp-contract=off $<$<CONFIG:Release>:-O2>)
# Twelve encodings in four precisions, of few numbers each.
set_source_files_properties(reference/encodings/golden_encoding.cc PROPERTIES
  COMPILE_OPTIONS $<$<CONFIG:Release>:-Og>)
# Loops over the pairs of a row, in vectors.
set_source_files_properties(reference/sweep/rows.cc reference/sweep/turns.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O3)
# What is compiled otherwise without MPFI is in no unity file, which a build without it
# would else have another of by the same command.
set_source_files_properties(reference/oracle_mpfi.cc reference/staged/elementary.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(ROPEPROOF_MPFI)
  find_package(MPFI REQUIRED)
  target_link_libraries(ropeproof_reference PRIVATE MPFI::MPFI)
  set_source_files_properties(reference/oracle_mpfi.cc reference/staged/elementary.cc
    reference/encodings/golden_encoding.cc
    PROPERTIES COMPILE_DEFINITIONS ROPEPROOF_HAVE_MPFI)
endif()

ropeproof_library(conformance)
ropeproof_unity(ropeproof_conformance)
target_link_libraries(ropeproof_conformance
  PUBLIC ropeproof::reference ropeproof::kernel_abi
  PRIVATE nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX OpenSSL::Crypto ${CMAKE_DL_LIBS})
target_compile_options(ropeproof_conformance PRIVATE -ffp-contract=off
  $<$<CONFIG:Release>:-O2>)
# The judge of one result, behind the C functions of ropeproof_judge.h.
add_library(ropeproof_judge SHARED conformance/assertion/c_api.cc)
add_library(ropeproof::judge ALIAS ropeproof_judge)
set_target_properties(ropeproof_judge PROPERTIES EXPORT_NAME judge CXX_VISIBILITY_PRESET hidden)
target_link_libraries(ropeproof_judge INTERFACE ropeproof::kernel_abi
  PRIVATE $<BUILD_INTERFACE:ropeproof::conformance> $<BUILD_INTERFACE:ropeproof_options>
  -Wl,--as-needed,--exclude-libs,ALL)

# Rooms that look at few numbers: -Og compiles in three fifths of the time of -O1, which those
# have that read the vectors at each start, or explain: a diagnosis takes as long as by -O2, and
# 1.6 times as long by -Og. With ROPEPROOF_UNITY, whose files these are.
set(unity_files ${PROJECT_BINARY_DIR}/CMakeFiles/ropeproof_conformance.dir/Unity)
set(quick told)
if(ROPEPROOF_QUICK)
  list(APPEND quick asked explained)
  target_compile_options(ropeproof_reference PRIVATE $<$<CONFIG:Release>:-Og>)
  set_source_files_properties(${PROJECT_BINARY_DIR}/CMakeFiles/ropeproof_reference.dir/Unity/unity_reference_sweep_cxx.cxx
    PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
else()
  set_source_files_properties(${unity_files}/unity_conformance_asked_cxx.cxx
    ${unity_files}/unity_conformance_explained_cxx.cxx
    PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()
foreach(rooms IN LISTS quick)
  set_source_files_properties(${unity_files}/unity_conformance_${rooms}_cxx.cxx
    PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Og>)
endforeach()
# What looks at each element of a test's result stays optimised where its room is not.
set_source_files_properties(conformance/assertion/screening.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
# The loop in which judging spends its time, in vectors: no operation in it sets errno, or is
# watched by its traps.
set_source_files_properties(conformance/judge/quiet_pairs.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math")
# What kernels are measured against is optimised whatever the build type.
set_source_files_properties(conformance/bench/loops.cc PROPERTIES
  COMPILE_OPTIONS "-O3;-ffp-contract=fast")

# What README.md shows: a kernel of 25 lines, and its broken twin.
ropeproof_plugin(c_example conformance/examples/my_rope.c)
ropeproof_plugin(c_example_swapped conformance/examples/my_rope_swapped.c)

# What ropeproof_tokens.h is for; tools/test/examples_test.sh judges them.
foreach(name IN ITEMS per_token per_head head_major given_table)
  ropeproof_plugin(${name} conformance/examples/${name}.c)
endforeach()

# ropeproof_device.h, where a CUDA compiler is at hand.
find_program(ROPEPROOF_NVCC nvcc)
if(ROPEPROOF_NVCC)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/plugins/cuda_example.so
    COMMAND ${ROPEPROOF_NVCC} -O2 -shared -Xcompiler -fPIC
      -I${PROJECT_SOURCE_DIR}/conformance/include
      -o ${PROJECT_BINARY_DIR}/plugins/cuda_example.so
      ${PROJECT_SOURCE_DIR}/conformance/examples/my_rope.cu
    DEPENDS conformance/examples/my_rope.cu conformance/include/ropeproof_device.h
      conformance/include/ropeproof_kernel.h)
  add_custom_target(cuda_example ALL DEPENDS ${PROJECT_BINARY_DIR}/plugins/cuda_example.so)
endif()

# Kernels that are wrong on purpose, which the suite must find out:
# build/fakes/NAME.so. What it must say is in fakes/expected.h.
file(GLOB fakes CONFIGURE_DEPENDS conformance/selftest/fakes/*.c)
add_custom_target(fakes)
foreach(source IN LISTS fakes)
  cmake_path(GET source STEM name)
  ropeproof_plugin(fake_${name} ${source})
  set_target_properties(plugin_fake_${name} PROPERTIES OUTPUT_NAME ${name}
    C_EXTENSIONS ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fakes)
  add_dependencies(fakes plugin_fake_${name})
endforeach()
target_link_libraries(plugin_fake_openmp PRIVATE OpenMP::OpenMP_C)

if(ROPEPROOF_MAINTENANCE)
  # A kernel with faults drawn at random, which the environment says.
  ropeproof_plugin(stranger conformance/selftest/strangers/plugin.cc)
  set_target_properties(plugin_stranger PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fakes)
  target_link_libraries(plugin_stranger PRIVATE ropeproof::conformance ropeproof::reference
    -Wl,--as-needed,--exclude-libs,ALL)
  add_dependencies(fakes plugin_stranger)
endif()

file(GLOB tool_sources CONFIGURE_DEPENDS tools/*.cc tools/prove/search_hard.cc)
if(NOT ROPEPROOF_MAINTENANCE)
  list(FILTER tool_sources EXCLUDE REGEX "${workshop}")
endif()
add_executable(ropeproof ${tool_sources})
add_executable(ropeproof::program ALIAS ropeproof)
set_target_properties(ropeproof PROPERTIES EXPORT_NAME program)
ropeproof_unity(ropeproof)
target_link_libraries(ropeproof PRIVATE ropeproof::conformance ropeproof::reference
  CLI11::CLI11 nlohmann_json::nlohmann_json ropeproof_options)
# -Og, as those rooms.
target_compile_options(ropeproof PRIVATE $<$<CONFIG:Release>:-Og>)
target_compile_definitions(ropeproof PRIVATE
  $<$<BOOL:${ROPEPROOF_MAINTENANCE}>:ROPEPROOF_MAINTENANCE> ROPEPROOF_VERSION="${PROJECT_VERSION}"
  ROPEPROOF_VECTORS_DIR="${PROJECT_SOURCE_DIR}/vectors"
  ROPEPROOF_RECHECK_SCRIPT="${PROJECT_SOURCE_DIR}/tools/prove/second_oracle/recheck.py"
  ROPEPROOF_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
add_dependencies(ropeproof plugin_c_example)
if(ROPEPROOF_FAST)
  add_dependencies(ropeproof plugin_fast)
endif()
add_subdirectory(tools/prove/second_oracle)

# What regenerates the vectors and nothing else: another compiler builds it in
# tools/prove/same_bytes.sh.
file(GLOB_RECURSE generator_sources CONFIGURE_DEPENDS
  conformance/cases/*.cc conformance/text/*.cc reference/*.cc)
list(FILTER generator_sources EXCLUDE REGEX "_test\\.cc$|/reference/staged/")
add_executable(regenerate EXCLUDE_FROM_ALL tools/prove/regenerate.cc
  conformance/plugin/axis_map.cc ${generator_sources})
ropeproof_unity(regenerate)
target_include_directories(regenerate PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(regenerate PRIVATE ropeproof::kernel_abi Boost::headers
  nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX OpenSSL::Crypto ropeproof_options)
if(ROPEPROOF_MPFI)
  target_link_libraries(regenerate PRIVATE MPFI::MPFI)
endif()
target_compile_options(regenerate PRIVATE -ffp-contract=off)
