// First: it takes the secret of an invitation from the URL, before the router reads that.
import "./session/invitation.ts";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./style.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
