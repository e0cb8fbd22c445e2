import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { readWizard, wizardHref, type Wizard } from './wizard.ts';

/** Pause in typing after which the server looks at what was typed (ms). */
const PAUSE_MS = 250;

/** For the form of a step. */
export interface KeptAnswers {
  form: RefObject<HTMLFormElement>;
  /** Something was typed or chosen. */
  follow: () => void;
  /** The form goes on: what it sends needs no check of its own. */
  leave: () => void;
}

/**
 * Keeps the address level with the form of the step that is shown, with every change: what is typed survives a
 * reload and the way back, however long the server takes. After a pause the router goes to that address too,
 * and so it is checked by the step's own loader. Of several answers only the newest counts: going on to an
 * address ends the way to the one before.
 * @param place changes when another form takes the place of this one
 */
export function useKeptAnswers(
  wizard: Wizard,
  place: string,
): KeptAnswers & {
  /** As they are now: of the form where the step has one. */
  answers: Wizard;
} {
  const { step } = wizard;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const [typed, setTyped] = useState<{ place: string; answers: Wizard }>();

  const { key } = useLocation();
  const going = useNavigation().location;
  /** The entry of the history that the page shows, and where the page is on its way to. */
  const way = useRef({ key, to: '' });
  useEffect(() => {
    way.current = { key, to: going ? going.pathname + going.search : '' };
  }, [key, going]);
  /** The address that was gone to for its check. */
  const followed = useRef('');

  const read = useCallback(
    (): Wizard => ({ ...readWizard(new FormData(form.current ?? undefined)), step, key: '' }),
    [step],
  );
  const write = useCallback(() => {
    const state = window.history.state as { key?: string } | null;
    // On the way back the browser is at another entry already: these answers are none of its.
    if ((state?.key ?? FIRST_KEY) !== way.current.key) return;
    try {
      window.history.replaceState(state, '', wizardHref(read()));
    } catch {
      // Safari takes a hundred in half a minute: the next one is in time.
    }
  }, [read]);

  const follow = useCallback(() => {
    clearTimeout(timer.current);
    setTyped({ place, answers: read() });
    write();
    timer.current = setTimeout(() => {
      const { to } = way.current;
      // Somebody goes elsewhere: that is not held up.
      if (to !== '' && to !== followed.current) return;
      followed.current = wizardHref(read());
      navigate(followed.current, { replace: true, preventScrollReset: true });
    }, PAUSE_MS);
  }, [place, read, write, navigate]);

  // What was typed before the scripts had taken over, and after the address was gone to that is shown now.
  useEffect(() => {
    if (!form.current) return;
    const now = wizardHref(read());
    if (now !== wizardHref({ ...wizard, key: '' }) && now !== followed.current) follow();
  }, [wizard, read, follow]);
  useEffect(() => () => clearTimeout(timer.current), [place, step]);

  return {
    form,
    follow,
    leave: () => {
      clearTimeout(timer.current);
      write();
    },
    answers: typed?.place === place ? { ...typed.answers, step } : wizard,
  };
}

/** What the router calls the entry that the page was loaded with: the browser has no key of it. */
const FIRST_KEY = 'default';
