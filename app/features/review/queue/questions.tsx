import { QUESTION_TEXT_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, FormField } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ReviewerName } from '../row-parts.tsx';
import styles from './questions.module.css';

interface QuestionsProps {
  registration: RegistrationDetails;
  /** Where the form goes. */
  action: string;
  /** Of the form. */
  problem: FormError | undefined;
}

/** What reviewers have asked the operator, with the answers, and the form that asks. */
export function Questions({ registration, action, problem }: QuestionsProps) {
  const { note, status, questions } = registration;
  const waits = status === 'pending_review';
  if (questions.length === 0 && !waits) return null;
  return (
    <section className={styles.questions} aria-labelledby="questions">
      <div className={styles.head}>
        <h3 id="questions">Ask the operator</h3>
        <span className={text.secondary}>Appears on their progress page</span>
      </div>
      {questions.length > 0 && (
        <ol className={styles.thread}>
          {questions.map(({ id, at, text: asked, by, answers }) => (
            <li key={id}>
              <p>{asked}</p>
              <p className={text.secondary}>
                <ReviewerName email={by} />, <RelativeTime at={at} />
              </p>
              {answers.map((answer) => (
                <div key={answer.at} className={styles.answer}>
                  <p>{answer.text}</p>
                  <p className={text.secondary}>
                    the operator, <RelativeTime at={answer.at} />
                  </p>
                </div>
              ))}
            </li>
          ))}
        </ol>
      )}
      {waits && (
        <ActionForm
          intent="ask"
          action={action}
          preventScrollReset
          problem={problem}
          submitLabel="Ask"
          className={styles.form}
        >
          <input type="hidden" name="note" value={note} />
          <FormField label="Question" name="text">
            {(control) => <textarea {...control} rows={2} maxLength={QUESTION_TEXT_MAX} required />}
          </FormField>
        </ActionForm>
      )}
    </section>
  );
}
