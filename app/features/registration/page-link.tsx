import { useState, type ReactNode } from 'react';
import { Link } from '@remix-run/react';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import { CopyIcon, DoneIcon, FileIcon, ShareIcon } from '#app/ui/icons.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { byHand, useCopying } from './copying.ts';
import styles from './page-link.module.css';
import {
  forgetRegistration,
  saveAgain,
  saveRegistration,
  useSavedRegistration,
  type LinkKept,
  type SavedRegistration,
} from './saved-registrations.ts';

/** What this browser knows of the registration that is open, and what its operator did on this page. */
export function useRemembered(registration: SavedRegistration) {
  const { saved, place } = useSavedRegistration(registration.id);
  const [own, setOwn] = useState<Pick<SavedRegistration, 'kept' | 'opened'>>({});
  return {
    registration,
    kept: own.kept ?? saved?.kept,
    opened: own.opened ?? saved?.opened ?? false,
    place,
    remember: (what: typeof own) => {
      setOwn({ ...own, ...what });
      // One that this browser was told to forget stays forgotten.
      if (saved) saveRegistration({ ...saved, ...what });
    },
  };
}

export type Remembered = ReturnType<typeof useRemembered>;

interface LinkProps {
  href: string;
  remembered: Remembered;
}

/** The link in full, whether this browser has it, and ways to save it elsewhere. @param props.next the way on */
export function SaveLink({ href, remembered, next }: LinkProps & { next: string }) {
  const { kept, remember } = remembered;
  const { target, copied, copy } = useCopying<HTMLElement>(href, () =>
    remember({ kept: 'copied' }),
  );
  return (
    <>
      <p className={styles.well}>
        <code ref={target}>{href}</code>
        <span role="status">
          {copied === 'copied' && (
            <>
              <DoneIcon /> Copied
            </>
          )}
          {copied === 'refused' && byHand()}
        </span>
      </p>
      <WhereSaved remembered={remembered} />
      <div className={`${styles.actions} needs-scripts`}>
        {kept !== undefined && (
          <Link key="next" className={button.primary} to={next} preventScrollReset>
            Continue to payment
          </Link>
        )}
        <button
          key="copy"
          type="button"
          className={kept === undefined ? button.primary : button.button}
          onClick={copy}
        >
          <CopyIcon />
          {kept === 'copied' ? 'Copy again' : 'Copy link'}
        </button>
        <Elsewhere href={href} remembered={remembered} />
        {kept === undefined && (
          <Link key="next" className={button.button} to={next} preventScrollReset>
            Continue
          </Link>
        )}
      </div>
    </>
  );
}

/** A part of the aside: the link gives full access to the registration, also later. */
export function KeepLink({ href, remembered }: LinkProps) {
  const { target, copied, copy } = useCopying<HTMLElement>(href, () =>
    remembered.remember({ kept: 'copied' }),
  );
  return (
    <Section title="This page’s link">
      <p className={text.secondary}>
        It brings you back here from any device. Anyone who has it can act for you: keep it private.
      </p>
      <WhereSaved remembered={remembered} />
      {/* Without scripts, and where the clipboard is refused, it is selected and copied by hand. */}
      <p className={copied === 'refused' ? undefined : 'without-scripts'}>
        <code ref={target} className={styles.link}>
          {href}
        </code>
      </p>
      <div className={`${styles.actions} ${styles.small} needs-scripts`}>
        <button type="button" className={button.button} onClick={copy}>
          <CopyIcon />
          {copied === null ? 'Copy link' : copied === 'copied' ? 'Copied' : byHand()}
        </button>
        <Elsewhere href={href} remembered={remembered} />
      </div>
      <span className="visually-hidden" role="status">
        {copied === 'copied' && 'Link copied'}
      </span>
    </Section>
  );
}

function WhereSaved({ remembered: { place, registration } }: Pick<LinkProps, 'remembered'>) {
  const { id } = registration;
  const line: Record<typeof place, ReactNode> = {
    unknown: ' ',
    stored: (
      <>
        <DoneIcon />
        <span>
          Saved in this browser.{' '}
          <button type="button" className={button.link} onClick={() => forgetRegistration(id)}>
            Forget it here
          </button>
        </span>
      </>
    ),
    forgotten: (
      <span>
        Not saved in this browser.{' '}
        <button type="button" className={button.link} onClick={() => saveAgain(registration)}>
          Save it here
        </button>
      </span>
    ),
    refused: <strong>This browser can’t save the link: copy it.</strong>,
  };
  return <p className={`${styles.place} needs-scripts`}>{line[place]}</p>;
}

/** Saving the link as a file, and passing it on where the browser can. */
function Elsewhere({ href, remembered: { registration, remember } }: LinkProps) {
  const hydrated = useHydrated();
  const keep = (kept: LinkKept) => remember({ kept });
  const share = async () => {
    try {
      await navigator.share({ title: registration.name, url: href });
      keep('shared');
    } catch {
      // The visitor has closed the dialog.
    }
  };
  return (
    <>
      <button
        type="button"
        className={button.button}
        onClick={() => {
          saveAsFile(`${registration.name}-registration.txt`, fileText(registration.name, href));
          keep('saved as a file');
        }}
      >
        <FileIcon />
        Save as file
      </button>
      {hydrated && 'share' in navigator && (
        <button type="button" className={button.button} onClick={() => void share()}>
          <ShareIcon />
          Share…
        </button>
      )}
    </>
  );
}

const fileText = (name: string, href: string) =>
  `The registration of ${name}:\n${href}\n\nAnyone who has this link can act for you: keep it private.\n`;

function saveAsFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
