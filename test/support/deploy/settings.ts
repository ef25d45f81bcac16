import { randomBytes } from "node:crypto";
import { type Config, readConfig } from "../../../src/core/config";
import type { Variable } from "../../../src/core/variables/variable";
import { VARIABLES } from "../../../src/core/variables/variables";

/** Secrets that are no texts of hexadecimal digits. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: "postgresql://signalbox:password@postgres/signalbox",
  REDIS_URL: "redis://:password@redis",
  SECRET_KEY: randomBytes(32).toString("base64"),
};

const secretValue = (name: string): string => SECRETS[name] ?? randomBytes(24).toString("hex");

/**
 * The configuration that the service reads from the environment of a deployment file.
 * @param environment its variables; NAME_FILE names a file with the secret NAME
 * @param secretOf the value of a secret, by default any valid one
 * @throws Error if a variable is no setting, ConfigError if a value is invalid
 */
export function readSettings(
  environment: Readonly<Record<string, string>>,
  secretOf: (name: string) => string = secretValue,
): Config {
  const variables: Record<string, Variable> = VARIABLES;
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const secret = name.replace(/_FILE$/, "");
    if (variables[name] !== undefined) values[name] = value;
    else if (name !== secret && variables[secret]?.secret) values[secret] = secretOf(secret);
    else throw new Error(`${name} is not a setting of the service`);
  }
  return readConfig(values);
}
