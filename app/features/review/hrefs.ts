/** The page of one registration. */
export const registrationHref = (note: string): string =>
  `/review/registrations/${encodeURIComponent(note)}`;

/** The queue with this registration open. */
export const queueHref = (note: string): string =>
  `/review?${new URLSearchParams({ open: note }).toString()}`;
