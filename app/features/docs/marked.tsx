import { Fragment } from 'react';

/** Text in which `backticks` mark code, as in OpenAPI documents. */
export function Marked({ text }: { text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, at) =>
      at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>,
    );
}
