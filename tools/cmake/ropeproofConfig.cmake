# find_package(ropeproof) defines what is installed of
#
#   ropeproof::kernel_abi   ropeproof_kernel.h, for plug-ins
#   ropeproof::judge        ropeproof_judge.h and its library, for tests of one's own
#   ropeproof::program      the program `ropeproof`
#   ropeproof_add_test()    a plug-in that ctest judges
#
# and with COMPONENTS fast also ropeproof::fast, which needs Highway and OpenMP.
include(CMakeFindDependencyMacro)
include(${CMAKE_CURRENT_LIST_DIR}/ropeproofTargets.cmake OPTIONAL)
include(${CMAKE_CURRENT_LIST_DIR}/ropeproof_add_test.cmake)
foreach(component IN LISTS ropeproof_FIND_COMPONENTS)
  set(ropeproof_${component}_FOUND FALSE)
  if(component STREQUAL fast)
    find_dependency(hwy)
    find_dependency(OpenMP)
    include(${CMAKE_CURRENT_LIST_DIR}/ropeproofFastTargets.cmake OPTIONAL
      RESULT_VARIABLE ropeproof_fast_FOUND)
  endif()
  if(NOT ropeproof_${component}_FOUND AND ropeproof_FIND_REQUIRED_${component})
    set(ropeproof_FOUND FALSE)
    set(ropeproof_NOT_FOUND_MESSAGE "the component ${component} is not installed")
  endif()
endforeach()
