/**
 * Relaxes limits that a busy machine would exceed, so that a node never refuses a test's requests for lack of
 * time. Tests of these limits set their own.
 */
export const LENIENT_LIMITS = {
  OVERLOAD_DELAY_MS: "0",
  OVERLOAD_REQUESTS: "0",
  PASSWORD_WAIT_MS: "3600000",
};
