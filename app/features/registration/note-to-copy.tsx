import { CopyButton } from '#app/ui/copy-button.tsx';

/** The payment note of a registration, to be put somewhere else. */
export function NoteToCopy({ note }: { note: string }) {
  return (
    <dl className="facts">
      <dt>Note</dt>
      <dd className="with-copy">
        <code>{note}</code>
        <CopyButton text={note} />
      </dd>
    </dl>
  );
}
