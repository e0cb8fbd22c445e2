import { isRouteErrorResponse } from '@remix-run/react';

/** What happened, in words, and whether the same address may work a moment later. */
export function explainError(error: unknown) {
  if (isRouteErrorResponse(error) && error.status === 404)
    return {
      title: 'Not found',
      heading: 'There is nothing here',
      text: 'The address is not one of ours. It may have been typed wrong, or what it showed is gone.',
      again: false,
    };
  if (isRouteErrorResponse(error) && error.status === 403)
    return {
      title: 'Not for you',
      heading: 'This page is for administrators',
      text: 'Your account reviews registrations. An administrator can change its role.',
      again: false,
    };
  // What fetch() throws where there is no answer; a page that the server renders never gets here so.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return {
      title: 'No answer',
      heading: 'The service does not answer',
      text: 'It may be away for a moment, or this device has no network.',
      again: true,
    };
  return {
    title: 'Something went wrong',
    heading: 'Something went wrong',
    text: 'The mistake is on our side. Try again in a moment.',
    again: true,
  };
}
