import { useEffect, useState } from 'react';
import { readTab, writeTab } from './tab-storage.ts';
import { focusHeading } from './use-heading-focus.ts';

/**
 * What is being typed into the confirmation form. The page may replace that form while somebody types (the
 * reservation expires, a reviewer decides): the text and the focus move on to the form that replaces it.
 */
export class ConfirmationDraft {
  #input: HTMLInputElement | null = null;
  #text = '';
  #focused = false;
  readonly #key: string;

  /** @param id of the registration: the text lasts in this tab, also over a reload, until it is sent */
  constructor(id: string) {
    this.#key = `confirmation ${id}`;
  }

  /** @param restores whether the form asks the same question as the one before; otherwise the text was sent */
  attach(input: HTMLInputElement | null, restores: boolean): () => void {
    this.#input = input;
    if (input) {
      if (restores) this.#text ||= readTab(this.#key) ?? '';
      else this.type('');
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
    writeTab(this.#key, text || null);
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
export function useConfirmationDraft(id: string, state: string): ConfirmationDraft {
  const [draft] = useState(() => new ConfirmationDraft(id));
  useEffect(() => draft.restoreFocus(), [draft, state]);
  return draft;
}
