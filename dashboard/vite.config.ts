import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressFiles } from "./build/compress-files.ts";
import { typedOperations } from "./build/typed-operations.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The gateway that the development server sends requests to. */
const gateway = process.env.SIGNALBOX_URL ?? "http://127.0.0.1:4000";

export default defineConfig({
  root: pathOf("."),
  base: "/dashboard/",
  plugins: [react(), typedOperations(), compressFiles()],
  resolve: {
    // The sources of the package: nothing has to be built first.
    alias: {
      "@signalbox/client/admin": pathOf("../client/src/admin/index.ts"),
      "@signalbox/client": pathOf("../client/src/index.ts"),
    },
  },
  build: {
    // bin/dashboard.js builds into a folder of its own, and then puts it in place.
    outDir: process.env.DASHBOARD_OUT ?? pathOf("../dist/dashboard"),
    emptyOutDir: true,
    target: "es2022",
    // The policy of the page allows no inline resources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // compressFiles measures what browsers load.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rollupOptions: {
      treeshake: { moduleSideEffects: (id) => !id.includes("/client/src/") },
    },
  },
  server: {
    host: "127.0.0.1",
    port: 4100,
    proxy: {
      "/graphql": { target: gateway, ws: true },
      "/docs": { target: gateway },
      "/openapi.json": { target: gateway },
    },
  },
});
