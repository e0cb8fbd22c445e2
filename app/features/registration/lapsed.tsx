import { Link } from '@remix-run/react';
import type { MutableRefObject } from 'react';
import type { FollowedRegistration } from '#server/registration/status.ts';
import { wizardHref, wizardOf } from './wizard.ts';
import { Panel } from '#app/ui/panel.tsx';
import { ConfirmForm, type Refused } from './confirm-form.tsx';
import { NoteToCopy } from './note-to-copy.tsx';
import { Timeline } from './timeline.tsx';
import type { Draft } from './use-draft.ts';

export interface LapsedProps {
  followed: FollowedRegistration;
  refused: Refused | null;
  draft: MutableRefObject<Draft>;
}

/** The hold ran out: whoever did pay says so still, whoever did not begins again. */
export function Lapsed({ followed, refused, draft }: LapsedProps) {
  const { registration, nameGone } = followed;
  const { name, paymentNote } = registration;
  const tooLate = refused?.code === 'name_taken';
  return (
    <div className="panels two">
      {nameGone || tooLate ? (
        <NameGone {...{ followed, tooLate }} text={refused?.values?.['cashConfirm'] ?? ''} />
      ) : (
        <>
          <Panel title="If you did pay">
            <p>
              Say so: while nobody else has taken {name}, it is yours again, and a reviewer looks
              for the payment with the note <code>{paymentNote}</code>.
            </p>
            <ConfirmForm refused={refused} draft={draft} label="I did pay">
              Then it waits for a reviewer.
            </ConfirmForm>
          </Panel>
          <Panel title="If you did not">
            <p>Nothing is owed. Start again with everything filled in.</p>
            <Link className="button" to={wizardHref({ ...wizardOf(registration), step: 'check' })}>
              Start again
            </Link>
          </Panel>
        </>
      )}
      <Panel title="What happened" className="wide">
        <Timeline followed={followed} />
      </Panel>
    </div>
  );
}

interface NameGoneProps {
  followed: FollowedRegistration;
  /** It was just said to be paid. */
  tooLate: boolean;
  /** The confirmation text that was given then. */
  text: string;
}

/** What somebody does whose name is another's by now. */
function NameGone({ followed: { registration }, tooLate, text }: NameGoneProps) {
  const { name, paymentNote } = registration;
  return (
    <Panel title="Somebody else has the name" className="wide name-gone">
      <p role={tooLate ? 'alert' : undefined}>
        After the hold had ended, somebody else registered {name}. It cannot be yours now.
      </p>
      <p>
        If you have paid, do not pay again: register another name, and where it asks for the
        confirmation text, put the note of the payment that you made
        {text !== '' && (
          <>
            , and your text, <code>{text}</code>
          </>
        )}
        . A reviewer then decides with both in view. If you have not, nothing is owed.
      </p>
      <NoteToCopy note={paymentNote} />
      <Link
        className="button primary"
        to={wizardHref({ ...wizardOf(registration), name: '', earlier: paymentNote })}
      >
        Register another name
      </Link>
    </Panel>
  );
}
