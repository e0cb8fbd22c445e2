import { isRouteErrorResponse } from '@remix-run/react';
import type { Refusal } from './refusable.server.ts';

/** What happened: no such page, a refusal, no answer at all, or a bug. */
type ErrorKind = 'missing' | 'refused' | 'unreachable' | 'failed';

interface ExplainedError {
  kind: ErrorKind;
  title: string;
  heading: string;
  text: string;
  /** Whether trying the same URL again may help. */
  again: boolean;
}

/** What happened, in words. */
export function explainError(error: unknown): ExplainedError {
  if (isRouteErrorResponse(error) && error.status === 404)
    return {
      kind: 'missing',
      title: 'Page not found',
      heading: 'This page doesn’t exist',
      text: 'Check the address, search for what you expected here, or start from one of these pages.',
      again: false,
    };
  if (isRouteErrorResponse(error) && error.status === 429)
    return {
      kind: 'refused',
      title: 'Too many requests',
      heading: 'Too many requests',
      text: (error.data as Refusal).message,
      again: true,
    };
  if (isRouteErrorResponse(error) && error.status === 403)
    return {
      kind: 'refused',
      title: 'Administrators only',
      heading: 'Administrators only',
      text: 'You are signed in as a reviewer. Ask an administrator to change your role.',
      again: false,
    };
  // fetch() throws this when there is no response. A page rendered on the server never gets here.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return navigator.onLine
      ? {
          kind: 'unreachable',
          title: 'Service unavailable',
          heading: 'We can’t reach the service',
          text: 'It may be restarting. This page loads automatically once it answers.',
          again: true,
        }
      : {
          kind: 'unreachable',
          title: 'Offline',
          heading: 'You’re offline',
          text: 'This page hasn’t been opened in this tab yet. It loads automatically when you’re back online.',
          again: true,
        };
  return {
    kind: 'failed',
    title: 'Something went wrong',
    heading: 'Something went wrong',
    text: 'A bug in this service. It has been logged. You can safely try again: a form sent twice counts once.',
    again: true,
  };
}
