# Tests lie beside what they test: FOLDER/*_test.cc make one program per folder.
include(CTest)
find_package(Catch2 3 REQUIRED)
include(Catch)

set(spec "*")
if(NOT ROPEPROOF_MPFI)
  set(spec "~[mpfi]")
endif()

function(ropeproof_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources})
  target_link_libraries(${folder}_test PRIVATE Catch2::Catch2WithMain
    ropeproof_options ${ARGN})
  target_compile_options(${folder}_test PRIVATE -ffp-contract=off)
  catch_discover_tests(${folder}_test TEST_PREFIX "${folder}: " TEST_SPEC ${spec})
endfunction()

ropeproof_tests(reference ropeproof::reference Boost::headers OpenMP::OpenMP_CXX)
if(ROPEPROOF_MPFI)
  target_link_libraries(reference_test PRIVATE MPFI::MPFI)
endif()
ropeproof_tests(fast ropeproof::fast ropeproof::reference Boost::headers hwy::hwy
  OpenMP::OpenMP_CXX)
ropeproof_tests(conformance ropeproof::conformance ropeproof::reference
  nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX)
target_compile_definitions(conformance_test PRIVATE
  ROPEPROOF_VECTORS_DIR="${PROJECT_SOURCE_DIR}/vectors")

# The arrows between the folders, and that breaking one is noticed.
add_test(NAME layers COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
  -P ${PROJECT_SOURCE_DIR}/tools/check_layers.cmake)
add_test(NAME layers_self_test COMMAND ${CMAKE_COMMAND} -DSELF_TEST=ON
  -DWORK_DIR=${PROJECT_BINARY_DIR}/layers_self_test
  -P ${PROJECT_SOURCE_DIR}/tools/check_layers.cmake)

# Breaks the formulas of reference/ one at a time; rope_test must fail.
add_test(NAME reference_mutants COMMAND ${PROJECT_SOURCE_DIR}/tools/check_mutants.sh
  ${CMAKE_CXX_COMPILER}
  "$<TARGET_PROPERTY:Catch2::Catch2,INTERFACE_INCLUDE_DIRECTORIES>"
  $<TARGET_FILE:Catch2::Catch2WithMain> $<TARGET_FILE:Catch2::Catch2>)
set_tests_properties(reference_mutants PROPERTIES PROCESSORS 2)
