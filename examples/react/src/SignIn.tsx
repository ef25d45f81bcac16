import { useState } from "react";

/** The sign-in form. */
export function SignIn({ onSignIn }: { onSignIn: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <main className="center">
      <section className="card">
        <h1>Signalbox with React</h1>
        <p className="quiet">
          Sign in here as one user, and in another tab or browser as another one. Then call.
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSignIn(name);
          }}
        >
          <label>
            Your name
            <input
              value={name}
              onChange={({ target }) => setName(target.value)}
              placeholder="ann"
              autoComplete="username"
              pattern="[A-Za-z0-9._\-]{1,40}"
              title="One word of letters and digits"
              required
            />
          </label>
          <button type="submit" className="primary wide">
            Sign in
          </button>
        </form>
        <p className="quiet hint">
          A name is enough in this example: <code>server/sessions.ts</code> is the place of your own
          sign-in.
        </p>
      </section>
    </main>
  );
}
