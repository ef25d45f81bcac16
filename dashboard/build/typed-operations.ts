import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const PROGRAM = fileURLToPath(new URL("../../bin/generated.js", import.meta.url));

/**
 * Generates the typed operations beside the .graphql files: before a build, and in development whenever one of them
 * changes. An invalid operation fails the build, and in development is reported with its place.
 */
export function typedOperations(): Plugin {
  const generate = () => {
    execFileSync(process.execPath, [PROGRAM, "client/src"], { stdio: "inherit" });
  };
  return {
    name: "typed-operations",
    buildStart: generate,
    configureServer({ watcher, config }) {
      watcher.on("all", (_event, path) => {
        if (!path.endsWith(".graphql")) return;
        try {
          generate();
        } catch {
          config.logger.error(
            `The operations of ${path} are invalid; the page keeps the earlier ones.`,
          );
        }
      });
    },
  };
}
