/**
 * What a busy machine would make a node refuse: it is to do what a test asks, however long that takes.
 * Tests of these bounds set their own.
 */
export const UNHURRIED = {
  OVERLOAD_DELAY_MS: "0",
  OVERLOAD_REQUESTS: "0",
  PASSWORD_WAIT_MS: "3600000",
};
