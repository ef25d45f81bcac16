import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { RouterProvider } from "react-router";
import { queryClient } from "./api/queries.ts";
import { session } from "./api/session.ts";
import { styleNonce } from "./nonce.ts";
import { router } from "./router.tsx";
import { useInvitation } from "./session/invitation.ts";
import { InvitationPage } from "./session/invitation-page.tsx";
import { SignInOverlay } from "./session/sign-in-overlay.tsx";
import { SignInPage } from "./session/sign-in-page.tsx";
import { cssVariables, theme } from "./theme.ts";

/** The whole page. */
export function App() {
  const { signedIn, signedOut, expired } = useSyncExternalStore(session.subscribe, session.state);
  const [invitation, leaveInvitation] = useInvitation();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-right" limit={3} />
        {invitation !== null && <InvitationPage secret={invitation} onLeave={leaveInvitation} />}
        {invitation === null && signedIn && <RouterProvider router={router} />}
        {invitation === null && !signedIn && <SignInPage signedOut={signedOut} />}
        <SignInOverlay opened={expired} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
