# Defines ropeproof::fast: the kernels, without the suite.
include(CMakeFindDependencyMacro)
find_dependency(hwy)
find_dependency(OpenMP)
include(${CMAKE_CURRENT_LIST_DIR}/ropeproofTargets.cmake)
