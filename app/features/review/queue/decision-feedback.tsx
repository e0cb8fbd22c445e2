import type { PendingDecision } from '#server/review/decisions.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { FormAlert } from '#app/ui/form.tsx';
import { useOutcomes } from './use-outcomes.ts';

/** What came of the reviewer's own decisions: to be heard, and to be seen where it is not what was asked for. */
export function Told({
  mine,
  problem,
}: {
  mine: PendingDecision[];
  /** Of a form that is not shown on the page, or is about more than one field. */
  problem: FormError | undefined;
}) {
  const outcome = useOutcomes(mine);
  return (
    <>
      <p className="visually-hidden" aria-live="polite">
        {outcome && !outcome.unexpected && outcome.text}
      </p>
      {outcome?.unexpected && (
        <p className="form-error" role="alert">
          {outcome.text}
        </p>
      )}
      <FormAlert problem={problem} />
    </>
  );
}
