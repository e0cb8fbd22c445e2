import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { wizardHref, wizardOf } from './wizard.ts';
import { Panel } from '#app/ui/panel.tsx';
import { NoteToCopy } from './note-to-copy.tsx';
import { Timeline } from './timeline.tsx';

/** A reviewer has decided against it, or has ended it later. */
export function Rejected({ followed }: { followed: FollowedRegistration }) {
  const { registration } = followed;
  const { paymentNote } = registration;
  const wizard = { ...wizardOf(registration), earlier: paymentNote };
  return (
    <>
      <div className="panels two">
        <Panel title="The reviewer’s reason" className="reason-panel">
          <blockquote>{registration.rejectionReason}</blockquote>
          <p className="secondary">
            This registration has ended. You can start another one, with everything filled in as it
            was. If you have paid already, do not pay again: put the note of that payment where it
            asks for the confirmation text.
          </p>
          <NoteToCopy note={paymentNote} />
          <ul className="chips">
            <li>
              <Link className="button primary" to={wizardHref({ ...wizard, step: 'check' })}>
                Try again
              </Link>
            </li>
            <li>
              <Link className="button" to={wizardHref(wizard)}>
                Choose another name
              </Link>
            </li>
          </ul>
        </Panel>
        <Panel title="What happened">
          <Timeline followed={followed} />
        </Panel>
      </div>
    </>
  );
}
