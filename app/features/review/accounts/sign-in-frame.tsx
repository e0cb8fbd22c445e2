import type { ReactNode } from 'react';
import { type FormProblem, ActionForm } from '#app/ui/form.tsx';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import styles from './sign-in-frame.module.css';

interface SignInFrameProps {
  title: string;
  intro: string;
  problem: FormProblem | undefined;
  submitLabel: string;
  /** Help below the form. */
  note: ReactNode;
  children: ReactNode;
}

/** A page with one narrow form, for the steps of signing in. */
export function SignInFrame({
  title,
  intro,
  problem,
  submitLabel,
  note,
  children,
}: SignInFrameProps) {
  return (
    <Page className={styles.page} title={title} intro={intro}>
      <ActionForm
        className={card.padded}
        problem={problem}
        submitLabel={submitLabel}
        look="primary"
      >
        {children}
      </ActionForm>
      <p className={`${text.secondary} ${styles.note}`}>{note}</p>
    </Page>
  );
}
