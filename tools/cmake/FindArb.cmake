# Defines Arb::Arb: ball arithmetic. FLINT 3 contains it; before that it is a
# library of its own beside FLINT 2, called flint-arb on Debian.
find_path(FLINT_INCLUDE_DIR flint/flint.h)
find_path(ARB_INCLUDE_DIR NAMES flint/arb.h arb.h)
find_library(FLINT_LIBRARY flint)
if(EXISTS "${ARB_INCLUDE_DIR}/flint/arb.h")
  set(ARB_LIBRARY ${FLINT_LIBRARY} CACHE FILEPATH "Arb, within FLINT")
else()
  find_library(ARB_LIBRARY NAMES arb flint-arb)
endif()
find_library(GMP_LIBRARY gmp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arb REQUIRED_VARS
  ARB_LIBRARY FLINT_LIBRARY GMP_LIBRARY ARB_INCLUDE_DIR FLINT_INCLUDE_DIR)
if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb INTERFACE IMPORTED GLOBAL)
  set_target_properties(Arb::Arb PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ARB_INCLUDE_DIR};${FLINT_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${ARB_LIBRARY};${FLINT_LIBRARY};${GMP_LIBRARY}")
endif()
