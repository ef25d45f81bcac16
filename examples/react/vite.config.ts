import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { sessions } from "./server/sessions.ts";

// On 127.0.0.1 browsers allow camera and microphone without TLS.
export default defineConfig({
  plugins: [react(), sessions()],
  server: { host: "127.0.0.1" },
});
