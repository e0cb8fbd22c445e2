import { useState, type FormEvent } from 'react';
import { hrefs } from '#app/lib/hrefs.ts';
import type { FormProblem } from '#app/ui/form.tsx';

/**
 * Signs out with scripts: a failure is shown on the page, which stays. What succeeds leaves the page, and with
 * it everything the session has shown. Without scripts the form goes to its own route.
 */
export function useSignOut(): {
  problem: FormProblem | undefined;
  onSubmit: (event: FormEvent) => void;
} {
  const [problem, setProblem] = useState<FormProblem>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void signOut().then((error) => {
      if (error === null) window.location.assign(hrefs.review.signIn());
      else setProblem({ error, fields: {} });
    });
  };
  return { problem, onSubmit };
}

/** @returns what went wrong, or null */
async function signOut(): Promise<string | null> {
  try {
    const { trpc } = await import('#app/lib/trpc.client.ts');
    await trpc.review.session.signOut.mutate();
    return null;
  } catch (error) {
    const answered = error instanceof Error && 'data' in error && error.data;
    return `Couldn’t sign you out. ${answered ? error.message : 'The service didn’t answer: try again once it does.'}`;
  }
}
