import * as hrefs from '#app/lib/hrefs.ts';
import { BellIcon, EditIcon, ProofIcon, RemoveIcon } from '#app/ui/icons.tsx';
import { Section } from '#app/ui/section.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { Fold, LinkRow } from './fold.tsx';
import folds from './folds.module.css';
import { NodeProof, proofTitle } from './node-proof.tsx';
import { Cancel, CorrectDetails, failedChange } from './own-changes.tsx';

/** What can be done besides: each opens in place. */
export function More(state: RegistrationState) {
  const { progress, failed } = state;
  const { id, status } = progress.registration;
  const active = status === 'active';
  const { title, sub } = proofTitle(state);
  return (
    <Section title="More">
      <ul className={folds.plain}>
        <li>
          <Fold icon={<ProofIcon />} title={title} sub={sub}>
            <NodeProof {...state} />
          </Fold>
        </li>
        {!active && (
          <li>
            <CorrectDetails progress={progress} error={failed} icon={<EditIcon />} />
          </li>
        )}
        <li>
          <LinkRow to={hrefs.notifications(id)} icon={<BellIcon />} title="Notifications" />
        </li>
        <li>
          <Fold
            icon={<RemoveIcon />}
            title={active ? 'Release this name' : 'Cancel this registration'}
            open={failedChange(failed, 'cancel') !== undefined && !progress.cancelNeedsKey}
          >
            <Cancel progress={progress} error={failed} />
          </Fold>
        </li>
      </ul>
    </Section>
  );
}
