/**
 * Whether the open page of the directory holds all compute offers. Then a filter needs no server, and works
 * while the service is away: shouldRevalidate asks here, because it runs outside of React. Modules named
 * `.client` don't exist on the server, so this can't be shared between visitors.
 */
let complete = false;

export const isListComplete = (): boolean => complete;

/** @returns forgets it again, for useEffect */
export function setListComplete(value: boolean): () => void {
  complete = value;
  return () => {
    complete = false;
  };
}
