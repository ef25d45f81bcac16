/** The code of an error of jose. Its message may quote the token, so it is neither logged nor sent. */
export function jwtProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "not valid";
}
