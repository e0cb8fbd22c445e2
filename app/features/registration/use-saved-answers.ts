import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDebouncedUrl } from '#app/lib/use-debounced-url.ts';
import { ownAnswers, readAnswers, wizardHref, type Details, type WizardAnswers } from './wizard.ts';

/** Pause in typing after which the server checks the answers (ms). */
const PAUSE_MS = 250;

/**
 * Keeps the URL in step with the form that is shown, at every change: what is typed survives a reload and the
 * back button however slow the server is. After a pause the router navigates to that URL too, so that the
 * step's loader checks the answers. Only the newest answers count: a navigation ends the one before.
 * @param place changes when another form replaces this one
 * @param reported what the node of the answers reports: what a form was filled in with is no answer
 */
export function useSavedAnswers(
  saved: WizardAnswers,
  place: string,
  reported: Details | null | undefined,
) {
  const { step } = saved;
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<{ place: string; answers: WizardAnswers }>();

  const { key } = useLocation();
  /** The history entry that is shown. */
  const shown = useRef(key);
  useEffect(() => {
    shown.current = key;
  }, [key]);
  /** The URL that was loaded to check its answers. */
  const followed = useRef('');

  const read = useCallback(
    (): WizardAnswers => ({
      ...ownAnswers(readAnswers(new FormData(form.current ?? undefined)), reported),
      step,
      key: '',
    }),
    [step, reported],
  );
  const write = useCallback(() => {
    const state = window.history.state as { key?: string } | null;
    // During a back navigation the browser is at another entry already, whose answers are different.
    if ((state?.key ?? FIRST_KEY) !== shown.current) return;
    try {
      window.history.replaceState(state, '', wizardHref(read()));
    } catch {
      // Safari allows a hundred in 30 seconds; a later one catches up.
    }
  }, [read]);

  /** The form that the URL waits for. */
  const followedForm = useRef<HTMLFormElement | null>(null);
  const { changed, stop } = useDebouncedUrl(PAUSE_MS, () => {
    // A link that was clicked meanwhile has replaced it.
    if (form.current !== followedForm.current) return null;
    return (followed.current = wizardHref(read()));
  });
  const keep = useCallback(() => {
    setTyped({ place, answers: read() });
    write();
  }, [place, read, write]);
  const follow = useCallback(() => {
    keep();
    followedForm.current = form.current;
    changed();
  }, [keep, changed]);

  // What was typed before hydration, and after the URL that is shown now was requested.
  useEffect(() => {
    if (!form.current) return;
    const now = wizardHref(read());
    if (now !== wizardHref({ ...saved, key: '' }) && now !== followed.current) follow();
  }, [saved, read, follow]);
  useEffect(() => stop, [place, step, stop]);

  return {
    form,
    /** Call when something was typed or chosen. */
    follow,
    /** The same for what isn’t checked yet. */
    keep: () => {
      stop();
      keep();
    },
    /** Call when the form is sent: its answers need no separate check. */
    leave: () => {
      stop();
      write();
    },
    /** The current answers: those of the form, if the step has one. */
    answers: typed?.place === place ? { ...typed.answers, step } : saved,
  };
}

/** What the form of a step uses. */
export type SavedAnswers = Omit<ReturnType<typeof useSavedAnswers>, 'answers'>;

/** The router's key for the entry that the page was loaded with; the browser has none. */
const FIRST_KEY = 'default';
