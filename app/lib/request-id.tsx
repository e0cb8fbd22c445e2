import { createContext, useContext } from 'react';
import { useLocation } from '@remix-run/react';

/** The ID of the request that failed, for the page that says so; null on every other page. */
export const RequestIdContext = createContext<string | null>(null);

/** How the server tells the browser. */
export const requestIdAttribute = (id: string | null) =>
  id === null ? undefined : { 'data-request-id': id };

/** What the page in the browser was rendered with. */
export const requestIdOfPage = (): string | null =>
  document.documentElement.dataset['requestId'] ?? null;

/** The ID of the request whose error this page shows; null for one that the browser met later, by itself. */
export function useFailedRequestId(): string | null {
  const id = useContext(RequestIdContext);
  const { key } = useLocation();
  return key === 'default' ? id : null;
}
