# Keeps the walls of the house up: who may include and name whom, how long a file may be.
#
#   cmake -DSOURCE_DIR=. -P tools/test/check_layers.cmake
#   cmake -DSELF_TEST=ON -DWORK_DIR=DIR -P tools/test/check_layers.cmake
#
# Prints one line per violation, FILE:LINE: WHAT. The self-test builds a small
# house in DIR with one violation of each kind and requires exactly these lines.
cmake_minimum_required(VERSION 3.25)

# Kinds of header: std, system (POSIX, intrinsics), a library, the kernel ABI,
# or one of our folders.
set(MAY_reference std boost mpfi reference)
set(MAY_fast std system highway openmp kernel_abi fast)
# conformance/ is rooms. Who may include whom there: the table of conformance/README.md,
# read by `read_rooms`.
set(MAY_conformance std system nlohmann openmp openssl kernel_abi reference)
set(MAY_tools std system nlohmann cli11 kernel_abi reference conformance tools)
# Shares no code with what it checks.
set(MAY_second_oracle std nlohmann openssl arb second_oracle)
# *_test.cc and test_*.h alone may cross the walls to reference/, and use any library; but
# Highway is named in fast/ only.
set(MAY_test std system boost mpfi openmp nlohmann openssl cli11 catch2 kernel_abi reference)
set(MAX_LINES 400)

# Kind and pattern of a header's name; the first that matches decides. Of a room, the name follows.
set(C_HEADERS "(assert|ctype|errno|fenv|float|inttypes|limits|locale|math|signal|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\\.h")
set(KINDS
  "kernel_abi (conformance/include/)?ropeproof_(kernel|tokens|device)\\.h"
  "second_oracle tools/prove/second_oracle/.*"
  "room conformance/([a-z]+)/.*"
  "reference reference/.*" "fast fast/.*" "tools tools/.*"
  "boost boost/.*"
  "mpfi (mpfi|mpfi_io|mpfr|gmp)\\.h"
  "arb (flint/[a-z_]+|arb)\\.h"
  "highway hwy/.*"
  "catch2 catch2/.*" "nlohmann nlohmann/.*" "openssl openssl/.*" "cli11 CLI/.*"
  "openmp omp\\.h"
  "std ([a-z_0-9]+|${C_HEADERS})"
  "system ((sys|net|netinet|arpa|linux|mach)/)?[a-z_0-9]+\\.h"
  "unknown .*")

# The kind of HEADER as FILE includes it.
function(kind_of root file header result)
  get_filename_component(folder ${file} DIRECTORY)
  if(EXISTS ${root}/${folder}/${header})  # a neighbour, or up the stairs
    get_filename_component(path ${root}/${folder}/${header} ABSOLUTE)
    file(RELATIVE_PATH header ${root} ${path})
  endif()
  foreach(row IN LISTS KINDS)
    string(REGEX MATCH "^([a-z_0-9]+) (.*)$" row "${row}")
    set(kind ${CMAKE_MATCH_1})
    if(header MATCHES "^(${CMAKE_MATCH_2})$")
      if(kind STREQUAL "room")
        set(kind "room ${CMAKE_MATCH_2}")
      endif()
      break()
    endif()
  endforeach()
  set(${result} ${kind} PARENT_SCOPE)
endfunction()

# Sets ROOMS, and for each ROOM_<room>: itself and what it may include. A room may include
# only those that stand above it in the table, so the arrows form no circle.
macro(read_rooms root violations)
  set(ROOMS)
  set(number 0)
  file(READ ${root}/conformance/README.md text)
  string(REGEX REPLACE "[][;\\\\]" "," text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^\\| `([a-z]+)` \\| .* \\| ?([a-z, ]*)\\|$")
      set(room ${CMAKE_MATCH_1})
      string(REGEX MATCHALL "[a-z]+" ROOM_${room} "${CMAKE_MATCH_2}")
      foreach(other IN LISTS ROOM_${room})
        if(NOT other IN_LIST ROOMS)
          list(APPEND ${violations}
            "conformance/README.md:${number}: ${other} does not stand above ${room}")
        endif()
      endforeach()
      list(PREPEND ROOM_${room} ${room})
      set(LINE_${room} ${number})
      list(APPEND ROOMS ${room})
    endif()
  endforeach()
  list(JOIN ROOMS "|" any_room)
  set_property(GLOBAL PROPERTY ARROWS)  # ROOM>ROOM, as files include
endmacro()

# Appends what is wrong with the includes, the names and the length of FILE.
function(check_source root file violations)
  string(REGEX MATCH "^[a-z]+" folder ${file})
  set(may ${MAY_${folder}})
  set(rooms)
  set(room "")
  if(file MATCHES "^conformance/.*_test\\.cc$" OR folder STREQUAL "tools")
    set(rooms ${ROOMS})  # a test makes its kernels and cases of any room
  elseif(file MATCHES "^conformance/([a-z]+)/")
    set(room ${CMAKE_MATCH_1})
    set(rooms ${ROOM_${room}})
  endif()
  list(TRANSFORM rooms PREPEND "room " OUTPUT_VARIABLE may_rooms)
  list(APPEND may ${may_rooms})
  if(file MATCHES "^tools/prove/second_oracle/")
    set(may ${MAY_second_oracle})
    if(file MATCHES "_test\\.cc$")
      list(APPEND may catch2)
    endif()
  elseif(file STREQUAL "conformance/include/ropeproof_kernel.h")
    set(may)  # but <stdint.h>, below
  elseif(file MATCHES "^conformance/include/ropeproof_(tokens|device)\\.h$")
    set(may std kernel_abi)
    set(rooms include)
  elseif(file MATCHES "^conformance/engines/")
    set(may std system unknown highway kernel_abi)  # its engine's headers
    set(rooms engines)
  elseif(file MATCHES "_test\\.cc$|/test_[a-z_]*\\.h$")
    list(APPEND may ${MAY_test})
  endif()

  if(file MATCHES "^conformance/.*\\.(h|cc)$" AND NOT rooms AND may)
    list(APPEND ${violations} "${file}:1: stands in no room")
  endif()

  # CMake's lists take ; [ ] and \ as their own.
  file(READ ${root}/${file} text)
  string(REGEX REPLACE "\n$" "" text "${text}")
  string(REGEX REPLACE "[][;\\\\]" "," text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(file MATCHES "\\.md$")  # its length is all
      continue()
    elseif(line MATCHES "^[ \t]*#[ \t]*include[ \t]*(.*)")
      set(operand "${CMAKE_MATCH_1}")
      if(operand MATCHES "^[<\"]([^>\"]+)[>\"]")
        set(header ${CMAKE_MATCH_1})
        kind_of(${root} ${file} ${header} kind)
        if(file STREQUAL "conformance/include/ropeproof_kernel.h" AND header STREQUAL "stdint.h")
          continue()
        endif()
        if(NOT kind IN_LIST may)
          list(APPEND ${violations} "${file}:${number}: must not include ${header} (${kind})")
        endif()
        if(room AND kind MATCHES "^room (.*)")
          set_property(GLOBAL APPEND PROPERTY ARROWS ${room}>${CMAKE_MATCH_1})
        endif()
      else()
        list(APPEND ${violations} "${file}:${number}: includes a macro, ${operand}")
      endif()
    elseif(line MATCHES "::" AND file MATCHES "\\.(h|cc)$")  # what others have included
      string(REGEX REPLACE "//.*" "" line " ${line}")
      string(REGEX MATCHALL "[^a-z_0-9](${any_room})::" names "${line}")
      foreach(name IN LISTS names)
        string(REGEX MATCH "[a-z]+" name "${name}")
        if(NOT name IN_LIST rooms)
          list(APPEND ${violations} "${file}:${number}: must not name ${name}::")
        endif()
      endforeach()
    endif()
  endforeach()
  if(number GREATER MAX_LINES)
    list(APPEND ${violations} "${file}:${number}: longer than ${MAX_LINES} lines")
  endif()
  set(${violations} "${${violations}}" PARENT_SCOPE)
endfunction()

# Everything that is wrong under `root`.
function(check_tree root result)
  set(wrong)
  if(NOT EXISTS ${root}/reference/rope.h)
    message(FATAL_ERROR "layers: no reference/rope.h under '${root}'")
  endif()
  read_rooms(${root} wrong)
  file(GLOB documents RELATIVE ${root} ${root}/*.md)
  foreach(file IN LISTS documents)
    check_source(${root} ${file} wrong)
  endforeach()
  foreach(folder reference fast conformance tools vectors)
    file(GLOB_RECURSE files LIST_DIRECTORIES true RELATIVE ${root} ${root}/${folder}/*)
    foreach(file IN LISTS files)
      get_filename_component(name ${file} NAME_WLE)
      if(name MATCHES "^utils?$")
        list(APPEND wrong "${file}:1: called ${name}, which says nothing")
      endif()
      if(file MATCHES "\\.(h|cc|c|py|sh|cmake|md)$")
        check_source(${root} ${file} wrong)
      endif()
    endforeach()
  endforeach()
  get_property(arrows GLOBAL PROPERTY ARROWS)
  foreach(room IN LISTS ROOMS)
    foreach(other IN LISTS ROOM_${room})
      if(NOT other STREQUAL room AND NOT ${room}>${other} IN_LIST arrows)
        list(APPEND wrong
          "conformance/README.md:${LINE_${room}}: ${room} includes nothing of ${other}")
      endif()
    endforeach()
  endforeach()
  set(${result} "${wrong}" PARENT_SCOPE)
endfunction()

function(report violations)
  list(JOIN violations "\n" text)
  message("${text}")
endfunction()

# --- the self-test ---

# Writes FILE with the given lines.
function(house file)
  string(REPLACE ";" "\n" text "${ARGN}")
  file(WRITE ${WORK_DIR}/${file} "${text}\n")
endfunction()

function(self_test)
  file(REMOVE_RECURSE ${WORK_DIR})
  # Nothing wrong here.
  set(rooms "| room | question | may include |" "|---|---|---|" "| `text` | words? | |"
    "| `cases` | what is asked? | text |" "| `check` | is it right? So, or so | cases, text |")
  house(conformance/README.md ${rooms})
  house(conformance/check/run.cc "#include \"conformance/cases/case.h\"" "cases::Case& f()"
    "// judge::, kept, or report::" "#include \"conformance/text/words.h\"" "plugin_text::f()")
  house(reference/rope.h "#include <vector>" "#include \"reference/spec.h\""
    "#include <boost/multiprecision/number.hpp>" "#include <mpfi.h>")
  house(reference/rope_test.cc "#include <catch2/catch_test_macros.hpp>" "#include <omp.h>")
  house(fast/kernel.cc "#include \"hwy/highway.h\"" "#include \"fast/kernel.h\"" "#include <omp.h>"
    "#include \"conformance/include/ropeproof_kernel.h\"" "#include <ropeproof_kernel.h>")
  house(fast/kernel_test.cc "#include \"reference/rope.h\"" "#include \"hwy/highway.h\"")
  house(conformance/include/ropeproof_kernel.h "#include <stdint.h>")
  house(conformance/cases/case.cc "#include \"reference/rope.h\"" "#include <sys/mman.h>"
    "#include \"conformance/text/words.h\""
    "#include <nlohmann/json.hpp>" "#include <openssl/evp.h>" "// #include \"fast/kernel.h\"")
  house(conformance/include/ropeproof_tokens.h "#include <ropeproof_kernel.h>" "#include <string.h>")
  house(conformance/engines/mlx.cc "#include <mlx/mlx.h>" "#include <ggml-cpu.h>"
    "#include <ropeproof_tokens.h>" "#include <optional>")
  house(tools/main.cc "#include <CLI/CLI.hpp>" "#include \"conformance/cases/case.h\"")
  house(tools/prove/second_oracle/main.cc "#include <flint/arb.h>" "#include <openssl/evp.h>"
    "#include \"tools/prove/second_oracle/number.h\"")
  string(REPEAT "a[0] = '\\\\\;'\n" ${MAX_LINES} full)
  file(WRITE ${WORK_DIR}/fast/full.cc "${full}")
  house(README.md "#include <fast/kernel.h> cover::f()")
  check_tree(${WORK_DIR} wrong)
  if(wrong)
    report("${wrong}")
    message(FATAL_ERROR "layers: the self-test's good house was faulted")
  endif()

  # FILE may not include HEADER of that KIND, in either form.
  foreach(fault
      "reference/a.cc conformance/cases/case.h room cases"
      "reference/b.cc sys/mman.h system"
      "reference/c.cc nlohmann/json.hpp nlohmann"
      "reference/f.cc ropeproof_device.h kernel_abi"
      "reference/d_test.cc hwy/highway.h highway"
      "reference/e.cc flint/arb.h arb"
      "fast/a.cc reference/rope.h reference"
      "fast/b.cc ../reference/rope.h reference"
      "fast/c.h conformance/cases/case.h room cases"
      "fast/d_test.cc conformance/cases/case.h room cases"
      "conformance/check/a.cc fast/kernel.h fast"
      "conformance/check/b_test.cc fast/kernel.h fast"
      "conformance/check/c.cc hwy/highway.h highway"
      "conformance/check/d.cc catch2/catch_test_macros.hpp catch2"
      "conformance/check/deep/e.cc fmt/format.h unknown"
      "conformance/cases/b.cc conformance/check/run.h room check"
      "conformance/include/ropeproof_kernel.h stddef.h std"
      "conformance/include/ropeproof_tokens.h nlohmann/json.hpp nlohmann"
      "conformance/engines/a.cc reference/rope.h reference"
      "tools/a.cc fast/kernel.h fast"
      "tools/b.cc boost/version.hpp boost"
      "tools/c.cc tools/prove/second_oracle/number.h second_oracle"
      "tools/prove/second_oracle/a.cc reference/rope.h reference"
      "tools/prove/second_oracle/b.cc conformance/cases/case.h room cases"
      "tools/prove/second_oracle/c.cc ../main.h unknown"
      "tools/prove/second_oracle/d.cc tools/main.h tools"
      "tools/prove/second_oracle/e_test.cc reference/rope.h reference")
    string(REGEX MATCH "^([^ ]+) ([^ ]+) (.+)$" fault "${fault}")
    set(file ${CMAKE_MATCH_1})
    set(what "must not include ${CMAKE_MATCH_2} (${CMAKE_MATCH_3})")
    house(${file} "" "  #  include <${CMAKE_MATCH_2}>" "#include \"${CMAKE_MATCH_2}\"")
    list(APPEND want "${file}:2: ${what}" "${file}:3: ${what}")
  endforeach()
  house(conformance/README.md ${rooms} "| `report` | what is said? | judge, check, text |")
  house(conformance/check/f.cc "#include CONFIG_HEADER")
  house(conformance/check/g.h "std::string report()" "report::Report text(const text::Words&)"
    "conformance::check::f<report::Run>()")
  house(conformance/report/report.cc "#include \"conformance/text/words.h\"")
  house(conformance/g.cc "#include <vector>")
  house(conformance/utils/g.c "")
  house(tools/utils.cc "")
  file(APPEND ${WORK_DIR}/fast/full.cc "one more\n")
  file(WRITE ${WORK_DIR}/CHANGELOG.md "${full}one more\n")
  file(WRITE ${WORK_DIR}/vectors/README.md "${full}one more\n")
  list(APPEND want
    "CHANGELOG.md:401: longer than 400 lines"
    "vectors/README.md:401: longer than 400 lines"
    "conformance/README.md:6: judge does not stand above report"
    "conformance/README.md:6: report includes nothing of judge"
    "conformance/README.md:6: report includes nothing of check"
    "conformance/check/f.cc:1: includes a macro, CONFIG_HEADER"
    "conformance/check/g.h:2: must not name report::"
    "conformance/check/g.h:3: must not name report::"
    "conformance/g.cc:1: stands in no room"
    "conformance/utils:1: called utils, which says nothing"
    "fast/full.cc:401: longer than 400 lines"
    "tools/utils.cc:1: called utils, which says nothing")
  check_tree(${WORK_DIR} got)
  set(missed ${want})
  list(REMOVE_ITEM missed ${got})
  set(invented ${got})
  list(REMOVE_ITEM invented ${want})
  if(missed OR invented)
    list(JOIN missed "\n  " missed)
    list(JOIN invented "\n  " invented)
    message("not reported:\n  ${missed}\nreported, but right:\n  ${invented}")
    message(FATAL_ERROR "layers: the self-test failed")
  endif()
  file(REMOVE_RECURSE ${WORK_DIR})
  list(LENGTH want count)
  message("layers: ${count} of ${count} violations reported")
endfunction()

if(SELF_TEST)
  self_test()
else()
  get_filename_component(root ${SOURCE_DIR} ABSOLUTE)
  check_tree(${root} wrong)
  report("${wrong}")
  if(wrong)
    list(LENGTH wrong count)
    message(FATAL_ERROR "layers: ${count} violations")
  endif()
endif()
