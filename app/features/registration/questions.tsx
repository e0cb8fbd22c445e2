import { Form } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { QUESTION_TEXT_MAX, QUESTIONS_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { Question, Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Notice } from '#app/ui/notice.tsx';
import text from '#app/ui/text.module.css';
import type { RegistrationState } from './confirm-form.tsx';
import folds from './folds.module.css';
import { OwnField } from './own-field.tsx';
import { failedChange, useSending } from './own-changes.tsx';
import pay from './pay.module.css';
import styles from './questions.module.css';
import { readTab, writeTab } from './tab-storage.ts';
import { When } from './when.tsx';

/** Whether a reviewer waits for an answer. */
export const hasOpenQuestion = ({ status, questions = [] }: Registration): boolean =>
  status === 'pending_review' && questions.some(({ answers }) => answers.length === 0);

/** What reviewers have asked, with the answers; what waits for one comes first. Plain text: no link is made of it. */
export function Questions({ progress, failed }: RegistrationState) {
  const { status, questions = [], paymentNote } = progress.registration;
  const asking = status === 'pending_review';
  const sorted = questions.toSorted(
    (a, b) => Number(a.answers.length > 0) - Number(b.answers.length > 0),
  );
  return sorted.map((question) => {
    const { id, at, answers } = question;
    const open = asking && answers.length === 0;
    // Keyed: after an answer, the next one begins empty.
    const form = <AnswerForm key={answers.length} {...{ question, failed, paymentNote }} />;
    return (
      <section
        key={id}
        className={`${styles.question} ${open ? styles.open : ''}`}
        aria-label="Question"
      >
        <p className={styles.who}>
          <span>Reviewer</span>
          <When at={at} />
        </p>
        <blockquote>{question.text}</blockquote>
        {answers.map((answer) => (
          <div key={answer.at} className={styles.answer}>
            <p className={styles.who}>
              <span>You</span>
              <When at={answer.at} />
            </p>
            <p>{answer.text}</p>
          </div>
        ))}
        {open && form}
        {!open && <p className={`${text.secondary} ${styles.readers}`}>{READERS}</p>}
        {asking && !open && answers.length < QUESTIONS_MAX && (
          <details className={folds.quiet} key={`more ${answers.length}`}>
            <summary>Add to your answer</summary>
            {form}
          </details>
        )}
      </section>
    );
  });
}

const READERS = 'Reviewers and whoever has this page’s link can read it.';

interface AnswerFormProps extends Pick<RegistrationState, 'failed'> {
  question: Question;
  paymentNote: string;
}

function AnswerForm({ question, failed, paymentNote }: AnswerFormProps) {
  const { id, answers } = question;
  const sending = useSending('answer');
  const refused = failedChange(failed, 'answer');
  const mine = refused?.values['questionId'] === id ? refused : undefined;
  const problem = mine?.fields['text'];
  const draft = `answer ${id} ${answers.length}`;
  const input = useRef<HTMLTextAreaElement>(null);
  const [length, setLength] = useState(0);
  // What was typed lasts in this tab until it is sent, also over a reload.
  useEffect(() => {
    const { current } = input;
    if (!current) return;
    current.value ||= readTab(draft) ?? '';
    setLength(current.value.length);
  }, [draft]);
  return (
    <Form method="post" preventScrollReset className={styles.form}>
      <input type="hidden" name="intent" value="answer" />
      <input type="hidden" name="questionId" value={id} />
      <OwnField
        id={`answer-${id}`}
        label="Your answer"
        hint={
          <span className={styles.who}>
            <span>{READERS}</span>
            <span className="needs-scripts">
              {length} of {QUESTION_TEXT_MAX}
            </span>
          </span>
        }
        error={problem && `The answer ${problem}.`}
      >
        {(control) => (
          <textarea
            {...control}
            ref={input}
            name="text"
            rows={4}
            required
            maxLength={QUESTION_TEXT_MAX}
            defaultValue={mine?.values['text']}
            onInput={({ currentTarget: { value } }) => {
              setLength(value.length);
              writeTab(draft, value || null);
            }}
          />
        )}
      </OwnField>
      {mine && problem === undefined && <Notice kind="error">{mine.error}</Notice>}
      <div className={pay.actions}>
        <button
          className={answers.length === 0 ? button.primary : button.button}
          aria-disabled={sending || undefined}
        >
          {sending ? 'Sending…' : 'Send answer'}
        </button>
        <CopyButton text={paymentNote} label="Copy the note" />
      </div>
    </Form>
  );
}
