# The vectors by other means: the oracles notice what is wrong with them.
if(TARGET ropeproof_recheck)
  ropeproof_tests(tools/prove/second_oracle second_oracle)
  add_test(NAME second_oracle COMMAND ${ROPEPROOF_PYTHON}
    ${PROJECT_SOURCE_DIR}/tools/prove/second_oracle/second_oracle_test.py
    $<TARGET_FILE:ropeproof_recheck> ${PROJECT_SOURCE_DIR}/vectors)
endif()
add_test(NAME verify_vectors COMMAND ropeproof verify-vectors
  --vectors ${PROJECT_SOURCE_DIR}/vectors)
add_test(NAME verify_vectors_command COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/prove/verify_vectors_test.py
  $<TARGET_FILE:ropeproof> ${PROJECT_SOURCE_DIR}/vectors)

# Readers in other languages, where those are present.
add_test(NAME readers COMMAND ${ROPEPROOF_PYTHON}
  ${PROJECT_SOURCE_DIR}/tools/prove/readers/readers_test.py
  $<TARGET_FILE:ropeproof> ${PROJECT_SOURCE_DIR}/vectors)
