# ropeproof_add_test((TARGET target | LIBRARY file | COMMAND program [argument ...]) [NAME name]
#   [PROFILE profile | CONFIG config.json] [TIER smoke|core|full] [REQUIRE requirement]
#   [WAIVERS file] [SHARDS count] [TIMEOUT seconds] [ARGUMENTS flag ...])
#
# Adds a test that passes where `ropeproof run` exits with 0 for the plug-in that `target`
# builds, for that in `file`, or for the process `program`. Its reports are NAME.json, NAME.xml
# (JUnit) and NAME.html in ropeproof/ of the current binary directory, its label is ropeproof.
#
# NAME         of the test; without it the target's, with _conforms behind it
# SHARDS n     n tests, NAME.1 to NAME.n, which ctest -j runs side by side, each failing where
#              one of its cases does; then NAME merges their reports and gives the verdict
# REQUIRE      as of `run --require`: L1, L2,A0, table=f32, ...
# TIMEOUT      of each of these tests; 1500 s without it
# ARGUMENTS    other flags of `ropeproof run`
#
# The program is that of the package, or of the variable ROPEPROOF_PROGRAM, as of a wheel.
function(ropeproof_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET;LIBRARY;PROFILE;CONFIG;TIER;REQUIRE;WAIVERS;SHARDS;TIMEOUT"
    "COMMAND;ARGUMENTS")
  if(arg_TARGET AND NOT arg_NAME)
    set(arg_NAME ${arg_TARGET}_conforms)
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ropeproof_add_test: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  elseif(arg_TARGET AND NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "ropeproof_add_test: TARGET ${arg_TARGET} is no target")
  elseif(NOT arg_NAME)
    message(FATAL_ERROR "ropeproof_add_test: NAME is missing")
  elseif(DEFINED arg_SHARDS AND NOT arg_SHARDS MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "ropeproof_add_test: SHARDS ${arg_SHARDS} is no number above 0")
  endif()

  set(program $<TARGET_FILE:ropeproof::program>)
  if(ROPEPROOF_PROGRAM)
    set(program ${ROPEPROOF_PROGRAM})
  elseif(NOT TARGET ropeproof::program)
    message(FATAL_ERROR "ropeproof_add_test: no program is installed; set ROPEPROOF_PROGRAM")
  endif()
  set(kernel)
  if(arg_TARGET)
    list(APPEND kernel --lib $<TARGET_FILE:${arg_TARGET}>)
  endif()
  if(arg_LIBRARY)
    list(APPEND kernel --lib ${arg_LIBRARY})
  endif()
  if(arg_COMMAND)
    list(JOIN arg_COMMAND " " command)
    list(APPEND kernel --command ${command})
  endif()
  list(LENGTH kernel words)
  if(NOT words EQUAL 2)
    message(FATAL_ERROR "ropeproof_add_test: expected one of TARGET, LIBRARY, COMMAND")
  endif()
  set(run ${program} run ${kernel})
  foreach(flag IN ITEMS PROFILE CONFIG TIER WAIVERS)
    if(arg_${flag})
      string(TOLOWER --${flag} option)
      list(APPEND run ${option} ${arg_${flag}})
    endif()
  endforeach()
  list(APPEND run ${arg_ARGUMENTS})
  set(verdict)
  if(arg_REQUIRE)
    set(verdict --require ${arg_REQUIRE})
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ropeproof)
  file(MAKE_DIRECTORY ${folder})
  set(reports ${verdict} --report ${folder}/${arg_NAME}.json --junit ${folder}/${arg_NAME}.xml
    --html ${folder}/${arg_NAME}.html)
  set(names ${arg_NAME})
  if(NOT arg_SHARDS OR arg_SHARDS EQUAL 1)
    add_test(NAME ${arg_NAME} COMMAND ${run} ${reports})
  else()
    set(shards)
    foreach(shard RANGE 1 ${arg_SHARDS})
      set(report ${folder}/${arg_NAME}.${shard}.json)
      list(APPEND shards ${report})
      list(APPEND names ${arg_NAME}.${shard})
      add_test(NAME ${arg_NAME}.${shard}
        COMMAND ${run} --shard ${shard}/${arg_SHARDS} --report ${report})
    endforeach()
    add_test(NAME ${arg_NAME} COMMAND ${program} merge ${shards} ${reports})
    list(REMOVE_ITEM names ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES DEPENDS "${names}")
    list(APPEND names ${arg_NAME})
  endif()
  set_tests_properties(${names} PROPERTIES LABELS ropeproof)
  if(arg_TIMEOUT)
    set_tests_properties(${names} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()
