import { CopyButton } from '#app/ui/copy-button.tsx';

/** The address of a registration is all that one needs to come back, and all that anybody else would need. */
export function KeepLink({ href }: { href: string }) {
  return (
    <div className="keep-link">
      <p className="secondary">
        You can close this page. Keep its link: it is the key to your registration, so do not share
        it.
      </p>
      <CopyButton text={href} label="Copy the link" />
    </div>
  );
}
