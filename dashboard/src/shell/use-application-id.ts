import { useParams } from "react-router";

/** The id of the application that the URL names; null on a page of the whole account. */
export function useOptionalApplicationId(): string | null {
  return useParams().applicationId ?? null;
}

/** The id of the application that the URL of an application's page names. */
export function useApplicationId(): string {
  const id = useOptionalApplicationId();
  if (id === null) throw new Error("The page is not below /applications/:applicationId");
  return id;
}
