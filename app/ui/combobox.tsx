import { useId, useState } from 'react';

/**
 * The choice of an option below a field: the arrow keys go through the options, and one step beyond either end is the
 * field itself. What Enter and Escape do is the field's own.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 * @param keys of the options, in their order
 * @param shown whether the list is shown
 */
export function useCombobox(keys: readonly string[], shown: boolean) {
  const listId = useId();
  const [chosen, choose] = useState<string | null>(null);
  /** The position of the chosen option; -1: none, the field itself. */
  const active = shown && chosen !== null ? keys.indexOf(chosen) : -1;
  const optionId = (index: number) => `${listId}-${index}`;
  return {
    active,
    /** Back to the field itself. */
    reset: () => choose(null),
    /** Moves the choice. @returns whether the key was one that does */
    move(key: string): boolean {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (step === undefined || keys.length === 0) return false;
      const stops = keys.length + 1;
      choose(keys[((active + 1 + step + stops) % stops) - 1] ?? null);
      return true;
    },
    field: {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': shown,
      'aria-controls': shown ? listId : undefined,
      'aria-activedescendant': active >= 0 ? optionId(active) : undefined,
    },
    list: { id: listId, role: 'listbox' },
    option: (index: number) => ({
      role: 'option',
      id: optionId(index),
      'aria-selected': index === active,
      tabIndex: -1,
    }),
  } as const;
}
