# What reads untrusted bytes is fuzzed: tools/test/fuzz. With ROPEPROOF_FUZZ (preset
# fuzz, needs clang) by libFuzzer, which tools/test/fuzz/run.sh starts; with the tests,
# the seeds are fed to each reader.
set(fuzz_folder ${PROJECT_SOURCE_DIR}/tools/test/fuzz)
set(fuzz_programs)
if(ROPEPROOF_FUZZ)
  # What the readers need and no more of conformance/: clang 14 compiles not all of it.
  file(GLOB_RECURSE reader_sources CONFIGURE_DEPENDS
    conformance/text/*.cc conformance/plugin/*.cc conformance/cases/*.cc)
  list(FILTER reader_sources EXCLUDE REGEX "_test\\.cc$")
  add_executable(fuzz ${fuzz_folder}/libfuzzer.cc ${fuzz_folder}/readers.cc
    conformance/report/waivers.cc ${reader_sources})
  ropeproof_unity(fuzz)
  target_link_libraries(fuzz PRIVATE ropeproof::reference ropeproof::kernel_abi
    OpenMP::OpenMP_CXX OpenSSL::Crypto ${CMAKE_DL_LIBS})
  target_link_options(fuzz PRIVATE -fsanitize=fuzzer)
  list(APPEND fuzz_programs fuzz)
endif()
if(ROPEPROOF_TESTS)
  add_executable(fuzz_replay ${fuzz_folder}/replay.cc ${fuzz_folder}/readers.cc)
  target_link_libraries(fuzz_replay PRIVATE ropeproof::conformance)
  list(APPEND fuzz_programs fuzz_replay)
  ropeproof_script(fuzz_seeds tools/test/fuzz/seeds.py ${vectors} ${PROJECT_BINARY_DIR}/seeds)
  set_tests_properties(fuzz_seeds PROPERTIES FIXTURES_SETUP seeds)
  add_test(NAME fuzz_replay COMMAND fuzz_replay ${PROJECT_BINARY_DIR}/seeds)
  set_tests_properties(fuzz_replay PROPERTIES FIXTURES_REQUIRED seeds)
endif()
foreach(program IN LISTS fuzz_programs)
  target_link_libraries(${program} PRIVATE nlohmann_json::nlohmann_json ropeproof_options)
endforeach()
