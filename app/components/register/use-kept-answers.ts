import { useNavigate } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { readWizard, wizardHref, type Wizard } from '../../wizard.ts';

/** Pause in typing after which the address follows, and the server looks at it (ms). */
const PAUSE_MS = 250;

/**
 * Keeps the address level with the form of the step that is shown: what is typed survives a reload and the way back, and
 * is checked by the step's own loader. Of several answers only the newest counts: going on to an address
 * ends the way to the one before.
 */
export function useKeptAnswers(wizard: Wizard) {
  const { step } = wizard;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);

  const href = useCallback(
    () => wizardHref({ ...readWizard(new FormData(form.current ?? undefined)), step, key: '' }),
    [step],
  );
  const follow = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => navigate(href(), { replace: true, preventScrollReset: true }),
      PAUSE_MS,
    );
  }, [href, navigate]);

  // What was typed before the scripts had taken over.
  const [loaded] = useState(wizard);
  useEffect(() => {
    if (href() !== wizardHref({ ...loaded, key: '' })) follow();
  }, [href, follow, loaded]);

  return {
    form,
    follow,
    /** The form goes on: the entry of the history that it leaves is to hold all that was typed. */
    leave: () => {
      clearTimeout(timer.current);
      window.history.replaceState(window.history.state, '', href());
    },
  };
}
