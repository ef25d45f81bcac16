import { SignalboxError } from "@signalbox/client";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

/** Runs an action whose errors are shown to the user. */
export type Run = (action: () => unknown) => void;

const Context = createContext<Run>((action) => void action());

/** The function that runs actions of buttons. */
export const useRun = (): Run => useContext(Context);

/** Shows the error of the last action, by the one class of errors that the package throws. */
export function Problems({ children }: { children: ReactNode }) {
  const [problem, setProblem] = useState<string | null>(null);
  const run = useCallback<Run>((action) => {
    setProblem(null);
    Promise.resolve()
      .then(action)
      .catch((error: unknown) => {
        if (!(error instanceof SignalboxError)) throw error;
        // The page closed it, or the other side did: that is shown already.
        if (error.code !== "CLOSED") setProblem(error.message);
      });
  }, []);
  return (
    <Context.Provider value={run}>
      {children}
      {problem !== null && (
        <p className="toast" role="alert">
          {problem}
          <button type="button" className="plain" onClick={() => setProblem(null)}>
            Close
          </button>
        </p>
      )}
    </Context.Provider>
  );
}
