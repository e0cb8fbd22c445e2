import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '../../../server/services/follow.ts';
import { wizardHref, wizardOf } from '../../wizard.ts';
import { Panel } from '../panel.tsx';
import { ConfirmForm, NameGone, type Refused } from './confirm-form.tsx';
import { Timeline } from './timeline.tsx';

/** The hold ran out: whoever did pay says so still, whoever did not begins again. */
export function Lapsed({
  followed,
  refused,
}: {
  followed: FollowedRegistration;
  refused: Refused | null;
}) {
  const { registration } = followed;
  const { name, paymentNote } = registration;
  const wizard = wizardOf(registration);
  return (
    <>
      {refused?.code === 'name_taken' && (
        <NameGone name={name} note={paymentNote} again={wizardHref({ ...wizard, name: '' })} />
      )}
      <div className="panels two">
        <Panel title="If you did pay">
          <p>
            Say so: while nobody else has taken {name}, it is yours again, and a reviewer looks for
            the payment with the note <code className="nowrap">{paymentNote}</code>.
          </p>
          <ConfirmForm refused={refused} label="I did pay">
            Then it waits for a reviewer.
          </ConfirmForm>
        </Panel>
        <Panel title="If you did not">
          <p>Nothing is owed. Start again with everything filled in, if the name is still free.</p>
          <Link className="button" to={wizardHref({ ...wizard, step: 'check' })}>
            Start again
          </Link>
        </Panel>
        <Panel title="What happened" className="wide">
          <Timeline followed={followed} />
        </Panel>
      </div>
    </>
  );
}
