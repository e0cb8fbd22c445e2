import { useEffect, useRef, type RefObject } from 'react';
import type { TypedNode } from './node-field.tsx';
import { readAnswers, withReported, type Reported } from './wizard.ts';

/**
 * Fills in class and region as the node reports them, once another node's id has been entered. What the operator
 * entered stays.
 * @param typed the node whose id was entered when the answers were last checked
 * @param follow called after a change
 */
export function useReportedDetails(
  form: RefObject<HTMLFormElement>,
  typed: TypedNode | null,
  follow: () => void,
): void {
  // The answers that the page was loaded with were checked before.
  const last = useRef<{ id: string | undefined; reported: Reported | undefined }>({
    id: typed?.id,
    reported: typed?.reported ?? undefined,
  });
  useEffect(() => {
    if (!form.current || !typed || typed.id === last.current.id) return;
    const answers = readAnswers(new FormData(form.current));
    if (answers.node !== typed.id) return;
    const { reported: before } = last.current;
    last.current = { id: typed.id, reported: typed.reported ?? undefined };
    const filled = withReported(answers, typed.reported, before);
    for (const name of ['class', 'region'] as const) {
      const control = form.current.elements.namedItem(name);
      if (control instanceof HTMLInputElement || control instanceof RadioNodeList)
        control.value = filled[name];
    }
    follow();
  }, [form, typed, follow]);
}
