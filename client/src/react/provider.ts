import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Signalbox } from "../signalbox.ts";

const Context = createContext<Signalbox | null>(null);

/** Properties of {@link SignalboxProvider}. */
export interface SignalboxProviderProps {
  /** The client, made outside of components: with the module, or by the handler that signs in. */
  readonly signalbox: Signalbox;
  readonly children?: ReactNode;
}

/**
 * Hands a client to the hooks of the components inside. It neither opens nor closes the client.
 *
 * @example
 * ```tsx
 * import { createSignalbox, sessionFromUrl } from "@signalbox/client";
 * import { SignalboxProvider, useSession } from "@signalbox/client/react";
 *
 * const signalbox = createSignalbox({ url: "http://127.0.0.1:4000", session: sessionFromUrl("/session") });
 *
 * function Greeting() {
 *   const { user } = useSession();
 *   return <p>Hello {user?.fullName}</p>;
 * }
 *
 * export function App() {
 *   return (
 *     <SignalboxProvider signalbox={signalbox}>
 *       <Greeting />
 *     </SignalboxProvider>
 *   );
 * }
 * ```
 */
export function SignalboxProvider({ signalbox, children }: SignalboxProviderProps): ReactElement {
  return createElement(Context.Provider, { value: signalbox }, children);
}

/**
 * The client of the nearest {@link SignalboxProvider}.
 *
 * @example
 * ```tsx
 * import { useSignalbox } from "@signalbox/client/react";
 *
 * export function App() {
 *   const { session } = useSignalbox();
 *   return <button onClick={() => session.end()}>Sign out</button>;
 * }
 * ```
 * @throws Error outside of a provider
 */
export function useSignalbox(): Signalbox {
  const signalbox = useContext(Context);
  if (!signalbox) throw new Error("This component is not inside a SignalboxProvider");
  return signalbox;
}
