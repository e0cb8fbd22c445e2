import { useState } from 'react';

/** Announces a sentence to screen readers when it changes while the page is open; never the first one. */
export function OutcomeAnnouncement({ text }: { text: string }) {
  const [first] = useState(text);
  const [changed, setChanged] = useState(false);
  if (!changed && text !== first) setChanged(true);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {changed ? text : ''}
    </p>
  );
}
