# What is installed: cmake --install BUILD_DIR --prefix DIR, the component fast alone for an
# engine. What find_package() then defines is listed in ropeproofConfig.cmake.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ropeproof)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ropeproofConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES tools/cmake/ropeproofConfig.cmake tools/cmake/ropeproof_add_test.cmake
  ${PROJECT_BINARY_DIR}/ropeproofConfigVersion.cmake DESTINATION ${package} COMPONENT fast)
if(ROPEPROOF_FAST)
  install(TARGETS ropeproof_fast EXPORT ropeproofFastTargets COMPONENT fast)
  install(FILES fast/rope_fast.h fast/plan.h fast/next_rows.h fast/bounds.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ropeproof/fast COMPONENT fast)
  install(EXPORT ropeproofFastTargets NAMESPACE ropeproof:: DESTINATION ${package}
    COMPONENT fast)
endif()
if(NOT ROPEPROOF_SUITE)
  return()
endif()

# The program, its kernels and vectors, and what authors include and link.
install(TARGETS ropeproof ropeproof_judge ropeproof_kernel_abi EXPORT ropeproofTargets)
install(EXPORT ropeproofTargets NAMESPACE ropeproof:: DESTINATION ${package})
set(plugins plugin_c_example)
if(ROPEPROOF_FAST)
  list(APPEND plugins plugin_fast)
endif()
install(TARGETS ${plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ropeproof/plugins)
install(FILES tools/prove/second_oracle/recheck.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ropeproof)
install(DIRECTORY vectors/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ropeproof/vectors)
install(DIRECTORY conformance/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(tools/cmake/ropeproof.pc.in ropeproof.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ropeproof.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The Python package, whole, as pyproject.toml puts it into a wheel:
#   cmake --install BUILD_DIR --component python --prefix DIR
# Within ropeproof/ the program finds what it needs as it does where it is installed.
set(into_package COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS ropeproof RUNTIME DESTINATION ropeproof/bin ${into_package})
install(TARGETS ${plugins}
  LIBRARY DESTINATION ropeproof/${CMAKE_INSTALL_LIBDIR}/ropeproof/plugins ${into_package})
install(TARGETS ropeproof_judge LIBRARY DESTINATION ropeproof/lib ${into_package})
install(DIRECTORY vectors/ DESTINATION ropeproof/share/ropeproof/vectors ${into_package})
install(DIRECTORY conformance/include/ DESTINATION ropeproof/include ${into_package})
install(DIRECTORY conformance/adapters/ropeproof DESTINATION . ${into_package}
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
