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
  target_compile_options(${name}_test PRIVATE -ffp-contract=off
    -include ${PROJECT_SOURCE_DIR}/tools/test/test_enums.h)
  set(leave_out "~[.]")
  if(NOT ROPEPROOF_MPFI)
    string(APPEND leave_out "~[mpfi]")
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM file)
    if(file IN_LIST stems) # by its tag another room would run it, too
      message(FATAL_ERROR "two files of ${name}/ are called ${file}.cc")
    endif()
    list(APPEND stems ${file})
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
target_link_libraries(conformance_test PRIVATE ropeproof::judge)
target_compile_options(conformance_test PRIVATE $<$<CONFIG:Release>:-Og>)
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

# A test that is a Python script.
function(ropeproof_script name script)
  add_test(NAME ${name} COMMAND ${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/${script} ${ARGN})
endfunction()
set(vectors ${PROJECT_SOURCE_DIR}/vectors)
set(plugins ${PROJECT_BINARY_DIR}/plugins)

# The arrows between the folders, and that breaking one is noticed.
ropeproof_script(layers tools/test/check_layers.py ${PROJECT_SOURCE_DIR})
ropeproof_script(layers_self_test tools/test/check_layers.py --self-test)

add_test(NAME fast_bounds COMMAND ${CMAKE_COMMAND}
  -P ${PROJECT_SOURCE_DIR}/fast/check_bounds.cmake)

# The builds without this or that.
if(CMAKE_GENERATOR STREQUAL Ninja)
  ropeproof_script(builds tools/test/check_builds.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/builds)
endif()

# What is installed, used by projects of their own, and from Rust.
find_program(RUSTC NAMES /usr/bin/rustc rustc)
if(CMAKE_GENERATOR STREQUAL Ninja AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME package COMMAND ${PROJECT_SOURCE_DIR}/tools/test/package_test.sh
    ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/package ${CMAKE_CXX_COMPILER}
    "${CMAKE_CXX_FLAGS}")
  ropeproof_script(rust tools/test/check_rust.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR}/rust ${CMAKE_C_COMPILER} ${RUSTC})
endif()

add_dependencies(conformance_test fakes)
add_dependencies(conformance_test plugin_fast plugin_c_example plugin_c_example_swapped)
target_compile_definitions(conformance_test PRIVATE
  ROPEPROOF_FAKES_DIR="${PROJECT_BINARY_DIR}/fakes"
  ROPEPROOF_PLUGINS_DIR="${PROJECT_BINARY_DIR}/plugins"
  ROPEPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  ROPEPROOF_PROGRAM="$<TARGET_FILE:ropeproof>"
  ROPEPROOF_PYTHON="${ROPEPROOF_PYTHON}")
add_dependencies(conformance_test ropeproof)

# tools/test/expect.sh names what they get.
function(ropeproof_command_line name script)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tools/test/${script}
    $<TARGET_FILE:ropeproof> ${plugins} ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER}
    ${ROPEPROOF_PYTHON} ${ROPEPROOF_MPFI})
endfunction()
ropeproof_command_line(command_line cli_test.sh)
ropeproof_command_line(token_examples examples_test.sh)
foreach(what IN ITEMS exchange bench matrix diff identify output encode grade environment html
    weights)
  ropeproof_command_line(command_line_${what} cli_${what}_test.sh)
endforeach()
set(selftest $<TARGET_FILE:ropeproof> selftest
  --vectors ${vectors} --fakes ${PROJECT_BINARY_DIR}/fakes
  --fake-process "${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/conformance/selftest/fakes/process.py")
# To diagnose all mutants takes longer than the rest: that is for the night.
add_test(NAME selftest COMMAND ${selftest} --diagnose-every 10 --table ${PROJECT_BINARY_DIR}/MUTANTS.md)
# The rows that it writes are those committed, but for the words of names: not all are asked,
# and where threads disturb each other, which check sees it first is chance.
add_test(NAME mutant_table COMMAND bash -c
  "diff -u <(grep '^|' '${PROJECT_SOURCE_DIR}/conformance/selftest/MUTANTS.md' | cut -d '|' -f 1-4) \
           <(grep '^|' '${PROJECT_BINARY_DIR}/MUTANTS.md' | cut -d '|' -f 1-4)")
set_tests_properties(selftest PROPERTIES FIXTURES_SETUP mutant_table)
set_tests_properties(mutant_table PROPERTIES FIXTURES_REQUIRED mutant_table)
# Kernels that are made to pass, behind walls: those that take seconds, and at night all, whose
# table is what is committed.
set(untrusted ${selftest} --untrusted --python ${ROPEPROOF_PYTHON})
add_test(NAME selftest_untrusted COMMAND ${untrusted})
add_test(NAME selftest_untrusted_full COMMAND ${untrusted} --full
  --table ${PROJECT_BINARY_DIR}/UNTRUSTED.md)
add_test(NAME untrusted_table COMMAND bash -c "[ -s '${PROJECT_BINARY_DIR}/UNTRUSTED.md' ] || exit 77
  diff -u '${PROJECT_SOURCE_DIR}/conformance/selftest/UNTRUSTED.md' '${PROJECT_BINARY_DIR}/UNTRUSTED.md'")
set_tests_properties(selftest_untrusted selftest_untrusted_full PROPERTIES
  SKIP_REGULAR_EXPRESSION "there is no sandbox here")
set_tests_properties(selftest_untrusted_full PROPERTIES FIXTURES_SETUP untrusted_table)
set_tests_properties(untrusted_table PROPERTIES FIXTURES_REQUIRED untrusted_table
  SKIP_RETURN_CODE 77)
ropeproof_script(readme tools/test/check_readme.py ${PROJECT_SOURCE_DIR}
  $<TARGET_FILE:ropeproof> ${plugins})
ropeproof_script(adapters conformance/adapters/ropeproof_test.py)
ropeproof_script(adapters_call conformance/adapters/call_test.py)
ropeproof_script(adapters_like conformance/adapters/like_test.py $<TARGET_FILE:ropeproof>
  ${vectors})
# As a wheel has them.
foreach(test IN ITEMS judge few_shapes backends triton_backend pallas_backend problems closeness
    closeness_errors readings fused claims pytest_plugin)
  ropeproof_script(${test} conformance/adapters/${test}_test.py ${PROJECT_BINARY_DIR})
endforeach()
ropeproof_script(adapters_grade conformance/adapters/grade_test.py ${PROJECT_BINARY_DIR})
ropeproof_script(judge_state conformance/adapters/state_test.py ${PROJECT_BINARY_DIR})
ropeproof_script(cuda_backend conformance/adapters/cuda_test.py ${PROJECT_BINARY_DIR})
# Where torch, Triton, JAX, wgpu and pyopencl are installed.
ropeproof_script(lavapipe_backend conformance/adapters/lavapipe_test.py
  ${PROJECT_BINARY_DIR})
ropeproof_script(pocl_backend conformance/adapters/pocl_test.py ${PROJECT_BINARY_DIR})
set_tests_properties(triton_backend pallas_backend lavapipe_backend pocl_backend
  PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(pytest_plugin PROPERTIES SKIP_RETURN_CODE 77)
# The steps of the CIs of others, as action.yml and tools/ci/gitlab.yml have them.
ropeproof_script(ci tools/test/ci_test.py ${PROJECT_BINARY_DIR})
set_tests_properties(ci PROPERTIES SKIP_RETURN_CODE 77)
ropeproof_script(schema tools/prove/check_schema.py ${vectors})
if(ROPEPROOF_MPFI)
  add_test(NAME same_bytes COMMAND ${PROJECT_SOURCE_DIR}/tools/prove/same_bytes.sh
    ${PROJECT_BINARY_DIR}/clang)
  set_tests_properties(same_bytes PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Committed cases never change, and a change would be noticed.
ropeproof_script(ledger tools/prove/check_ledger.py ${vectors})
ropeproof_script(ledger_self_test tools/prove/check_ledger.py --self-test)
# The covering arrays have every possible pair and triple of the model.
ropeproof_script(covering_arrays tools/prove/cover_test.py ${vectors})

# The vectors by other means: the oracles notice what is wrong with them.
if(TARGET ropeproof_recheck)
  ropeproof_tests(tools/prove/second_oracle second_oracle)
  ropeproof_script(second_oracle tools/prove/second_oracle/second_oracle_test.py
    $<TARGET_FILE:ropeproof_recheck> ${vectors})
endif()
add_test(NAME verify_vectors COMMAND ropeproof verify-vectors --vectors ${vectors})
ropeproof_script(verify_vectors_command tools/prove/verify_vectors_test.py
  $<TARGET_FILE:ropeproof> ${vectors})

# At night: what takes long and guards what seldom breaks (tools/test.sh --full). The
# preset ci leaves out the label.
add_test(NAME selftest_full COMMAND ${selftest} --full)
add_test(NAME fast_every_position COMMAND fast_test "[sweep]")
# Every pair and triple of the model is among the calls of a tier.
add_test(NAME coverage COMMAND ropeproof list coverage --vectors ${vectors})
# A wheel is built anew, and what it needs comes from PyPI.
add_test(NAME wheel COMMAND ${PROJECT_SOURCE_DIR}/tools/test/wheel_test.sh ${ROPEPROOF_PYTHON})
# The site, where MkDocs is installed.
ropeproof_script(site tools/site/build.py $<TARGET_FILE:ropeproof> ${PROJECT_BINARY_DIR}/site)
set_tests_properties(site PROPERTIES SKIP_RETURN_CODE 77)
foreach(test IN ITEMS site reference_mutants selftest_full selftest_untrusted_full untrusted_table
    fast_every_position coverage same_bytes wheel cuda_backend claims token_examples)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES LABELS night TIMEOUT 7200)
  endif()
endforeach()

# Readers in other languages, where those are present.
ropeproof_script(golden_readers tools/prove/readers/goldens_test.py $<TARGET_FILE:ropeproof>)
ropeproof_script(readers tools/prove/readers/readers_test.py $<TARGET_FILE:ropeproof>
  ${vectors})

# The longest first, so that no core waits for one at the end. None has both cores to
# itself: they would wait for each other, and half of each test for its other half.
set(cost 9)
foreach(test IN ITEMS selftest conformance/check)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST ${cost})
  endif()
  math(EXPR cost "${cost} - 1")
endforeach()

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
