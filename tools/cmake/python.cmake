# The Python package, whole, as pyproject.toml puts it into a wheel:
#   cmake --install BUILD_DIR --component python --prefix DIR
# Within ropeproof/ the program finds what it needs as it does where it is installed.
set(into_package COMPONENT python EXCLUDE_FROM_ALL)
set(package_plugins plugin_c_example)
if(ROPEPROOF_FAST)
  list(APPEND package_plugins plugin_fast)
endif()

install(TARGETS ropeproof RUNTIME DESTINATION ropeproof/bin ${into_package})
install(TARGETS ${package_plugins}
  LIBRARY DESTINATION ropeproof/${CMAKE_INSTALL_LIBDIR}/ropeproof/plugins ${into_package})
install(TARGETS ropeproof_judge LIBRARY DESTINATION ropeproof/lib ${into_package})
install(DIRECTORY vectors/ DESTINATION ropeproof/share/ropeproof/vectors ${into_package})
install(DIRECTORY conformance/include/ DESTINATION ropeproof/include ${into_package})
install(DIRECTORY conformance/adapters/ropeproof DESTINATION . ${into_package}
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
