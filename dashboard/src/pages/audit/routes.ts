import { ClipboardDocumentListIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { auditStrings } from "./strings.ts";

/** What members of the account have changed. */
export const auditPage: PageRoutes = {
  group: "account",
  path: "audit",
  label: auditStrings.title,
  icon: ClipboardDocumentListIcon,
  routes: [{ path: "audit", load: () => import("./audit-page.tsx") }],
};
