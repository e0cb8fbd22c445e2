import { useEffect, useState } from 'react';
import { focusHeading } from './use-heading-focus.ts';

/**
 * What is being typed into the confirmation form. The page may replace that form while somebody types (the
 * reservation expires, a reviewer decides): the text and the focus move on to the form that replaces it.
 */
export class ConfirmationDraft {
  #input: HTMLInputElement | null = null;
  #text = '';
  #focused = false;

  /** @param restores whether the form asks the same question as the one before; otherwise the text was sent */
  attach(input: HTMLInputElement | null, restores: boolean): () => void {
    this.#input = input;
    if (input) {
      if (!restores) this.#text = '';
      // Also what was typed before hydration.
      if (input.value === '') input.value = this.#text;
      else this.#text = input.value;
      this.#focused ||= input === document.activeElement;
    }
    return () => {
      if (this.#input === input) this.#input = null;
    };
  }

  type(text: string): void {
    this.#text = text;
  }

  setFocused(focused: boolean): void {
    this.#focused = focused;
  }

  /** A form that is removed with the focus in it fires no blur, and leaves the focus nowhere. */
  restoreFocus(): void {
    if (!this.#focused || document.activeElement !== document.body) return;
    this.#focused = false;
    if (this.#input?.checkVisibility()) {
      this.#input.focus();
      this.#input.setSelectionRange(this.#text.length, this.#text.length);
    } else focusHeading();
  }
}

/** The draft of the page’s confirmation form. @param state changes when another form replaces the one shown */
export function useConfirmationDraft(state: string): ConfirmationDraft {
  const [draft] = useState(() => new ConfirmationDraft());
  useEffect(() => draft.restoreFocus(), [draft, state]);
  return draft;
}
