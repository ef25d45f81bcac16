import type { Signalbox } from "@signalbox/client";
import { SignalboxProvider, useSession } from "@signalbox/client/react";
import { useState } from "react";
import { signIn, signOut } from "./client.ts";
import { Home } from "./Home.tsx";
import { SignIn } from "./SignIn.tsx";

/** The whole page. @param restored the client of a tab that was signed in before */
export function App({ restored }: { restored: Signalbox | null }) {
  const [signalbox, setSignalbox] = useState(restored);
  if (!signalbox) return <SignIn onSignIn={(name) => setSignalbox(signIn(name))} />;
  const leave = () => {
    signOut(signalbox);
    setSignalbox(null);
  };
  return (
    <SignalboxProvider signalbox={signalbox}>
      <SignedIn onSignOut={leave} />
    </SignalboxProvider>
  );
}

function SignedIn({ onSignOut }: { onSignOut: () => void }) {
  const { status, user, connection, error } = useSession();
  if (user) return <Home user={user} connection={connection} onSignOut={onSignOut} />;
  return (
    <main className="center">
      <section className="card">
        <h1>{status === "ended" ? "You are not signed in" : "Signing in …"}</h1>
        {error && <p className="error">{error.message}</p>}
        {(status === "ended" || error) && (
          <button type="button" className="primary wide" onClick={onSignOut}>
            Back
          </button>
        )}
      </section>
    </main>
  );
}
