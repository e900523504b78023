# The vectors by other means: the oracles notice what is wrong with them.
if(TARGET ropeproof_recheck)
  add_test(NAME second_oracle COMMAND ${ROPEPROOF_PYTHON}
    ${PROJECT_SOURCE_DIR}/tools/second_oracle/second_oracle_test.py
    $<TARGET_FILE:ropeproof_recheck> ${PROJECT_SOURCE_DIR}/vectors)
endif()
