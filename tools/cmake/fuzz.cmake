# What reads untrusted bytes is fuzzed: tools/test/fuzz/NAME.cc. With ROPEPROOF_FUZZ
# (preset fuzz, needs clang) each is a libFuzzer program, fuzz_NAME, which
# tools/test/fuzz/run.sh starts; with the tests, replay_NAME feeds it the seeds.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/test/fuzz/*.cc)
list(FILTER fuzz_targets EXCLUDE REGEX "/replay\\.cc$")

foreach(source IN LISTS fuzz_targets)
  cmake_path(GET source STEM name)
  set(programs)
  if(ROPEPROOF_FUZZ)
    add_executable(fuzz_${name} ${source})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND programs fuzz_${name})
  endif()
  if(ROPEPROOF_TESTS)
    add_executable(replay_${name} ${source} ${PROJECT_SOURCE_DIR}/tools/test/fuzz/replay.cc)
    list(APPEND programs replay_${name})
    add_test(NAME replay_${name} COMMAND replay_${name} ${PROJECT_BINARY_DIR}/seeds/${name})
    set_tests_properties(replay_${name} PROPERTIES FIXTURES_REQUIRED seeds)
  endif()
  foreach(program IN LISTS programs)
    target_link_libraries(${program} PRIVATE ropeproof::conformance
      nlohmann_json::nlohmann_json ropeproof_options)
  endforeach()
endforeach()

if(ROPEPROOF_TESTS)
  add_test(NAME seeds COMMAND ${ROPEPROOF_PYTHON} ${PROJECT_SOURCE_DIR}/tools/test/fuzz/seeds.py
    ${PROJECT_SOURCE_DIR}/vectors ${PROJECT_BINARY_DIR}/seeds)
  set_tests_properties(seeds PROPERTIES FIXTURES_SETUP seeds)
endif()
