# Tests lie beside what they test: the *_test.cc below a folder are one program,
# and those of each folder within it are one entry of CTest, which loads the vectors
# once. One test alone: FOLDER_test "its name".
include(CTest)
find_package(Catch2 3 REQUIRED)

function(ropeproof_tests folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*_test.cc)
  cmake_path(GET folder FILENAME name)
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE Catch2::Catch2WithMain
    ropeproof_options ${ARGN})
  target_compile_options(${name}_test PRIVATE -ffp-contract=off)
  set(leave_out "~[.]")
  if(NOT ROPEPROOF_MPFI)
    string(APPEND leave_out "~[mpfi]")
  endif()
  set(rooms)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM file)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET source PARENT_PATH room)
    list(APPEND rooms ${room})
    list(APPEND files_of_${room} "[#${file}]${leave_out}")
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    list(JOIN files_of_${room} "," files)
    add_test(NAME ${room} COMMAND ${name}_test --filenames-as-tags "${files}")
  endforeach()
endfunction()

ropeproof_tests(reference ropeproof::reference Boost::headers OpenMP::OpenMP_CXX)
target_sources(reference_test PRIVATE reference/staged/pipelines/engine.cc
  reference/staged/pipelines/pipelines.cc reference/staged/pipelines/rotation.cc)
ropeproof_unity(reference_test)
target_compile_options(reference_test PRIVATE $<$<CONFIG:Release>:-O1>)
if(ROPEPROOF_MPFI)
  target_link_libraries(reference_test PRIVATE MPFI::MPFI)
  target_compile_definitions(reference_test PRIVATE ROPEPROOF_HAVE_MPFI)
endif()
ropeproof_tests(fast ropeproof::fast ropeproof::reference Boost::headers hwy::hwy
  OpenMP::OpenMP_CXX)
target_link_libraries(fast_test PRIVATE fast_plugin)
ropeproof_unity(fast_test)
target_compile_options(fast_test PRIVATE $<$<CONFIG:Release>:-O1>)
include(target_tests)
ropeproof_tests(conformance ropeproof::conformance ropeproof::reference
  nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX)
ropeproof_unity(conformance_test)
target_compile_options(conformance_test PRIVATE $<$<CONFIG:Release>:-O1>)
target_compile_definitions(conformance_test PRIVATE
  ROPEPROOF_VECTORS_DIR="${PROJECT_SOURCE_DIR}/vectors")

# Breaks the formulas of reference/ one at a time; a fast test must fail. Where clang++ is
# installed it compiles them, in three fifths of g++'s time.
find_program(UNOPTIMIZED_CXX NAMES clang++)
if(NOT UNOPTIMIZED_CXX)
  set(UNOPTIMIZED_CXX ${CMAKE_CXX_COMPILER})
endif()
add_test(NAME reference_mutants COMMAND ${PROJECT_SOURCE_DIR}/tools/prove/check_mutants.sh
  ${UNOPTIMIZED_CXX}
  "$<TARGET_PROPERTY:Catch2::Catch2,INTERFACE_INCLUDE_DIRECTORIES>;${Boost_INCLUDE_DIRS}"
  $<TARGET_FILE:Catch2::Catch2WithMain> $<TARGET_FILE:Catch2::Catch2>)

# The program and the documents, as a user meets them. A Python with NumPy and
# jsonschema: Debian's own may not be the first one on PATH. Its own path: what chooses between
# versions takes longer than Python to start.
foreach(candidate python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import jsonschema, numpy, sys; print(sys.executable)"
    RESULT_VARIABLE failed OUTPUT_VARIABLE python ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND NOT ROPEPROOF_PYTHON)
    set(ROPEPROOF_PYTHON ${python} CACHE STRING "Python with NumPy and jsonschema")
  endif()
endforeach()
if(NOT ROPEPROOF_PYTHON)
  message(FATAL_ERROR "the tests need a python3 with numpy and jsonschema")
endif()

# The arrows between the folders, and that breaking one is noticed.
add_test(NAME layers COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/test/check_layers.py ${PROJECT_SOURCE_DIR})
add_test(NAME layers_self_test COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/test/check_layers.py --self-test)

add_test(NAME fast_bounds COMMAND ${CMAKE_COMMAND}
  -P ${PROJECT_SOURCE_DIR}/fast/check_bounds.cmake)

# The builds without this or that.
if(CMAKE_GENERATOR STREQUAL Ninja)
  add_test(NAME builds COMMAND ${ROPEPROOF_PYTHON}
    ${PROJECT_SOURCE_DIR}/tools/test/check_builds.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/builds)
endif()

# The installed kernels, used by a program of their own.
add_test(NAME fast_package COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR}
  -DWORK_DIR=${PROJECT_BINARY_DIR}/fast_package -DCXX=${CMAKE_CXX_COMPILER}
  -DCXX_FLAGS=${CMAKE_CXX_FLAGS}
  -P ${PROJECT_SOURCE_DIR}/fast/examples/check_package.cmake)

add_dependencies(conformance_test fakes)
add_dependencies(conformance_test plugin_fast plugin_c_example plugin_c_example_swapped)
target_compile_definitions(conformance_test PRIVATE
  ROPEPROOF_FAKES_DIR="${PROJECT_BINARY_DIR}/fakes"
  ROPEPROOF_PLUGINS_DIR="${PROJECT_BINARY_DIR}/plugins"
  ROPEPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  ROPEPROOF_PYTHON="${ROPEPROOF_PYTHON}")

set(plugins ${PROJECT_BINARY_DIR}/plugins)
add_test(NAME command_line COMMAND ${PROJECT_SOURCE_DIR}/tools/test/cli_test.sh
  $<TARGET_FILE:ropeproof> ${plugins} ${PROJECT_SOURCE_DIR}/vectors ${ROPEPROOF_MPFI})
add_test(NAME token_examples COMMAND ${PROJECT_SOURCE_DIR}/tools/test/examples_test.sh
  $<TARGET_FILE:ropeproof> ${plugins} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
add_test(NAME command_line_exchange COMMAND
  ${PROJECT_SOURCE_DIR}/tools/test/cli_exchange_test.sh $<TARGET_FILE:ropeproof> ${plugins}
  ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${ROPEPROOF_PYTHON})
add_test(NAME command_line_bench COMMAND ${PROJECT_SOURCE_DIR}/tools/test/cli_bench_test.sh
  $<TARGET_FILE:ropeproof> ${plugins} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER}
  ${ROPEPROOF_PYTHON})
add_test(NAME command_line_matrix COMMAND
  ${PROJECT_SOURCE_DIR}/tools/test/cli_matrix_test.sh $<TARGET_FILE:ropeproof> ${plugins}
  ${PROJECT_SOURCE_DIR} ${ROPEPROOF_PYTHON})
add_test(NAME command_line_identify COMMAND
  ${PROJECT_SOURCE_DIR}/tools/test/cli_identify_test.sh $<TARGET_FILE:ropeproof> ${plugins}
  ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${ROPEPROOF_PYTHON})
add_test(NAME command_line_output COMMAND
  ${PROJECT_SOURCE_DIR}/tools/test/cli_output_test.sh $<TARGET_FILE:ropeproof> ${plugins}
  ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${ROPEPROOF_PYTHON})
add_test(NAME command_line_encode COMMAND
  ${PROJECT_SOURCE_DIR}/tools/test/cli_encode_test.sh $<TARGET_FILE:ropeproof>
  ${PROJECT_SOURCE_DIR}/vectors ${ROPEPROOF_PYTHON})
add_test(NAME selftest COMMAND $<TARGET_FILE:ropeproof> selftest
  --vectors ${PROJECT_SOURCE_DIR}/vectors --fakes ${PROJECT_BINARY_DIR}/fakes
  --fake-process "${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/conformance/selftest/fakes/process.py"
  --table ${PROJECT_BINARY_DIR}/MUTANTS.md)
# What it writes is what is committed, but for the words of names: where threads disturb
# each other, which check sees it first is chance.
add_test(NAME mutant_table COMMAND bash -c
  "diff -u <(cut -d '|' -f 1-4 '${PROJECT_SOURCE_DIR}/conformance/selftest/MUTANTS.md') \
           <(cut -d '|' -f 1-4 '${PROJECT_BINARY_DIR}/MUTANTS.md')")
set_tests_properties(selftest PROPERTIES FIXTURES_SETUP mutant_table)
set_tests_properties(mutant_table PROPERTIES FIXTURES_REQUIRED mutant_table)
add_test(NAME readme COMMAND ${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/tools/test/check_readme.py
  ${PROJECT_SOURCE_DIR} $<TARGET_FILE:ropeproof> ${plugins})
add_test(NAME adapters COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/conformance/adapters/ropeproof_test.py)
add_test(NAME adapters_call COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/conformance/adapters/call_test.py)
add_test(NAME adapters_like COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/conformance/adapters/like_test.py $<TARGET_FILE:ropeproof>
  ${PROJECT_SOURCE_DIR}/vectors)
# As a wheel has them.
add_test(NAME judge COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/conformance/adapters/judge_test.py ${PROJECT_BINARY_DIR})
add_test(NAME pytest_plugin COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/conformance/adapters/pytest_plugin_test.py ${PROJECT_BINARY_DIR})
set_tests_properties(pytest_plugin PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME schema COMMAND ${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/tools/prove/check_schema.py
  ${PROJECT_SOURCE_DIR}/vectors)
if(ROPEPROOF_MPFI)
  add_test(NAME same_bytes COMMAND ${PROJECT_SOURCE_DIR}/tools/prove/same_bytes.sh
    ${PROJECT_BINARY_DIR}/clang)
  set_tests_properties(same_bytes PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Committed cases never change, and a change would be noticed.
add_test(NAME ledger COMMAND ${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/tools/prove/check_ledger.py
  ${PROJECT_SOURCE_DIR}/vectors)
add_test(NAME ledger_self_test COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/prove/check_ledger.py --self-test)
# The covering arrays have every possible pair and triple of the model.
add_test(NAME covering_arrays COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/prove/cover_test.py ${PROJECT_SOURCE_DIR}/vectors)

# The longest first, so that no core waits for one at the end. None has both cores to
# itself: they would wait for each other, and half of each test for its other half.
set(cost 9)
foreach(test IN ITEMS reference_mutants selftest same_bytes conformance/check)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST ${cost})
  endif()
  math(EXPR cost "${cost} - 1")
endforeach()

include(oracle_tests)

# clang-format 14: other versions lay out differently.
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE clang_format_version)
if(clang_format_version MATCHES "version 14")
  file(GLOB_RECURSE formatted CONFIGURE_DEPENDS
    reference/*.h reference/*.cc fast/*.h fast/*.cc tools/*.h tools/*.cc
    conformance/*.h conformance/*.cc conformance/*.c)
  add_test(NAME format COMMAND ${CLANG_FORMAT} --dry-run -Werror ${formatted}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
