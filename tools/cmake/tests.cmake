# Tests lie beside what they test: FOLDER/*_test.cc make one program per folder.
include(CTest)
find_package(Catch2 3 REQUIRED)
include(Catch)

function(ropeproof_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources})
  target_link_libraries(${folder}_test PRIVATE Catch2::Catch2WithMain
    ropeproof_options ${ARGN})
  target_compile_options(${folder}_test PRIVATE -ffp-contract=off)
  catch_discover_tests(${folder}_test TEST_PREFIX "${folder}: ")
endfunction()

ropeproof_tests(reference ropeproof::reference Boost::headers)
if(ROPEPROOF_MPFI)
  target_link_libraries(reference_test PRIVATE MPFI::MPFI)
endif()
ropeproof_tests(fast ropeproof::fast ropeproof::reference Boost::headers hwy::hwy
  OpenMP::OpenMP_CXX)
ropeproof_tests(conformance ropeproof::conformance ropeproof::reference
  nlohmann_json::nlohmann_json)
