import { useEffect, useRef, type MutableRefObject } from 'react';

/** What is being typed into the confirmation form: kept while a refresh puts another form in its place. */
export interface Draft {
  text: string;
  focused: boolean;
}

/**
 * The hold may end, or a reviewer decide, while somebody types: what was typed stands in the form of the new
 * state, and where the form had the focus the one in its place gets it, or the heading where there is none.
 * @param state whatever changes when another form takes the place
 * @param typing whether the form of this state is the same question: else what was typed has been sent
 */
export function useDraft(state: string, typing: boolean): MutableRefObject<Draft> {
  const draft = useRef<Draft>({ text: '', focused: false });
  useEffect(() => {
    // What was typed before the scripts had taken over.
    const field = document.querySelector<HTMLInputElement>('.confirm-form .field');
    if (!field) return;
    draft.current.text ||= field.value;
    draft.current.focused ||= field === document.activeElement;
  }, []);
  useEffect(() => {
    if (!typing) draft.current.text = '';
  }, [state, typing]);
  useEffect(() => {
    // A form that is taken away with the focus in it leaves it nowhere, and tells of no blur.
    if (!draft.current.focused || document.activeElement !== document.body) return;
    draft.current.focused = false;
    const field = document.querySelector<HTMLInputElement>('.confirm-form .field');
    const heading = document.querySelector('h1');
    if (heading) heading.tabIndex = -1;
    (field?.checkVisibility() ? field : heading)?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, [state]);
  return draft;
}
