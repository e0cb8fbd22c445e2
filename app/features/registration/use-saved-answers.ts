import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { readAnswers, wizardHref, type WizardAnswers } from './wizard.ts';

/** Pause in typing after which the server checks the answers (ms). */
const PAUSE_MS = 250;

/** For the form of a step. */
export interface SavedAnswers {
  form: RefObject<HTMLFormElement>;
  /** Call when something was typed or chosen. */
  follow: () => void;
  /** Call when the form is sent: its answers need no separate check. */
  leave: () => void;
}

/**
 * Keeps the URL in step with the form that is shown, at every change: what is typed survives a reload and the
 * back button however slow the server is. After a pause the router navigates to that URL too, so that the
 * step's loader checks the answers. Only the newest answers count: a navigation ends the one before.
 * @param place changes when another form replaces this one
 */
export function useSavedAnswers(
  saved: WizardAnswers,
  place: string,
): SavedAnswers & {
  /** The current answers: those of the form, if the step has one. */
  answers: WizardAnswers;
} {
  const { step } = saved;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const [typed, setTyped] = useState<{ place: string; answers: WizardAnswers }>();

  const { key } = useLocation();
  const target = useNavigation().location;
  /** The history entry that is shown, and the URL that is being loaded. */
  const navigation = useRef({ key, to: '' });
  useEffect(() => {
    navigation.current = { key, to: target ? target.pathname + target.search : '' };
  }, [key, target]);
  /** The URL that was loaded to check its answers. */
  const followed = useRef('');

  const read = useCallback(
    (): WizardAnswers => ({
      ...readAnswers(new FormData(form.current ?? undefined)),
      step,
      key: '',
    }),
    [step],
  );
  const write = useCallback(() => {
    const state = window.history.state as { key?: string } | null;
    // During a back navigation the browser is at another entry already, whose answers are different.
    if ((state?.key ?? FIRST_KEY) !== navigation.current.key) return;
    try {
      window.history.replaceState(state, '', wizardHref(read()));
    } catch {
      // Safari allows a hundred in 30 seconds; a later one catches up.
    }
  }, [read]);

  const follow = useCallback(() => {
    clearTimeout(timer.current);
    setTyped({ place, answers: read() });
    write();
    timer.current = setTimeout(() => {
      const { to } = navigation.current;
      // Somebody is navigating elsewhere.
      if (to !== '' && to !== followed.current) return;
      followed.current = wizardHref(read());
      navigate(followed.current, { replace: true, preventScrollReset: true });
    }, PAUSE_MS);
  }, [place, read, write, navigate]);

  // What was typed before hydration, and after the URL that is shown now was requested.
  useEffect(() => {
    if (!form.current) return;
    const now = wizardHref(read());
    if (now !== wizardHref({ ...saved, key: '' }) && now !== followed.current) follow();
  }, [saved, read, follow]);
  useEffect(() => () => clearTimeout(timer.current), [place, step]);

  return {
    form,
    follow,
    leave: () => {
      clearTimeout(timer.current);
      write();
    },
    answers: typed?.place === place ? { ...typed.answers, step } : saved,
  };
}

/** The router's key for the entry that the page was loaded with; the browser has none. */
const FIRST_KEY = 'default';
