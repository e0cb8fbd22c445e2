import { isRouteErrorResponse } from '@remix-run/react';
import type { Refusal } from './refusable.server.ts';

/** What happened, in words, and whether trying the same URL again may help. */
export function explainError(error: unknown) {
  if (isRouteErrorResponse(error) && error.status === 404)
    return {
      title: 'Page not found',
      heading: 'This page doesn’t exist',
      text: 'Check the address, or start from one of these pages.',
      again: false,
    };
  if (isRouteErrorResponse(error) && error.status === 429)
    return {
      title: 'Too many requests',
      heading: 'Too many requests',
      text: (error.data as Refusal).message,
      again: true,
    };
  if (isRouteErrorResponse(error) && error.status === 403)
    return {
      title: 'Administrators only',
      heading: 'Administrators only',
      text: 'You are signed in as a reviewer. Ask an administrator to change your role.',
      again: false,
    };
  // fetch() throws this when there is no response. A page rendered on the server never gets here.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return {
      title: 'Service unavailable',
      heading: 'We can’t reach the service',
      text: 'Check your connection and try again. The service may also be down for a moment.',
      again: true,
    };
  return {
    title: 'Something went wrong',
    heading: 'Something went wrong',
    text: 'This is an error on our side. Try again in a moment.',
    again: true,
  };
}
