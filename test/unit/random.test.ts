import { createHash } from "node:crypto";
import { hashToken, newId, newToken } from "../../src/core/random";

test("ids are 16 URL-safe characters and stay unique when the random pool is refilled", () => {
  const ids = Array.from({ length: 2_000 }, newId);
  expect(ids.filter((id) => !/^[A-Za-z0-9_-]{16}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a token is 43 URL-safe characters", () => {
  expect(newToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("a token is hashed with SHA-256", () => {
  const token = newToken();
  expect(hashToken(token)).toEqual(createHash("sha256").update(token).digest());
});
