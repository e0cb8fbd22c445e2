import { useLocation } from '@remix-run/react';
import { useCallback, useState } from 'react';

/**
 * Which rows of a list are ticked. All are at first, and so are new ones on every navigation, such as after
 * another import. A row that a background refresh adds is not: a click meant for the others would accept it
 * unseen. What was unticked stays unticked while the list isn't shown.
 * @param ids of the rows; empty while the list isn't shown
 */
export function useTicked(ids: string[]) {
  const { key } = useLocation();
  const [state, setState] = useState(() => ({
    key,
    shown: new Set(ids),
    unticked: new Set<string>(),
  }));
  const navigated = key !== state.key;
  const late = navigated ? [] : ids.filter((id) => !state.shown.has(id));
  if (navigated || late.length > 0)
    setState({
      key,
      shown: new Set(navigated ? ids : [...state.shown, ...late]),
      unticked: new Set([...state.unticked, ...late]),
    });

  const setTicked = useCallback(
    (changed: string[], ticked: boolean) =>
      setState((last) => {
        const unticked = new Set(last.unticked);
        for (const id of changed)
          if (ticked) unticked.delete(id);
          else unticked.add(id);
        return { ...last, unticked };
      }),
    [],
  );
  return { isTicked: (id: string) => !state.unticked.has(id), setTicked };
}

export type Ticked = ReturnType<typeof useTicked>;
