import { useLocation, useNavigation, useNavigationType, Form, useNavigate } from '@remix-run/react';
import {
  startTransition,
  useCallback,
  useEffect,
  useReducer,
  useRef,
  type ComponentPropsWithoutRef,
  type ReactNode,
} from 'react';
import { useLatest } from '#app/lib/polling.ts';
import { SearchBox } from './search-box.tsx';
import styles from './search-field.module.css';
import button from './button.module.css';

/** How long after the last keystroke the search starts, ms. */
const PAUSE_MS = 150;

interface SearchFieldProps {
  label: string;
  /** The text that the page is searched for: `q` in the URL. Without scripts the form sends it. */
  value: string;
  maxLength: number;
  /** Navigates to the page with this search. */
  onSearch: (text: string) => void;
  /** As of `SearchBox`. */
  icon?: ReactNode;
  /** Further attributes, such as a combobox's. */
  input?: ComponentPropsWithoutRef<'input'>;
}

/** A field that searches while you type, and with its form where there are no scripts. */
export function SearchField(props: SearchFieldProps) {
  const { label, value, maxLength, onSearch, icon, input } = props;
  const search = useSearch(value, onSearch);
  return (
    <SearchBox
      name="q"
      defaultValue={value}
      {...{ label, maxLength, icon }}
      {...search}
      {...input}
    />
  );
}

/**
 * Searches for what is typed once typing pauses. A link clicked meanwhile, such as a filter, goes first: the
 * search waits for its page and keeps the filter, because `onSearch` is that page's by then.
 */
function useSearch(value: string, onSearch: (text: string) => void) {
  const field = useRef<HTMLInputElement>(null);
  const { pathname, key } = useLocation();
  const cameBack = (useNavigationType() as string) === 'POP';
  const { location: destination } = useNavigation();
  const latestSearch = useLatest(onSearch);
  const [pauses, countPause] = useReducer((count: number) => count + 1, 0);
  /** The typed text until it is in the URL. `due`: typing has paused. `tries`: how often we searched for it. */
  const pending = useRef<{ text: string; due: boolean; tries: number }>();
  /** The text of the latest search. */
  const searched = useRef<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>();

  const onChange = useCallback(() => {
    if (!field.current) return;
    clearTimeout(timer.current);
    const search = { text: field.current.value.trim(), due: false, tries: 0 };
    pending.current = search;
    timer.current = setTimeout(() => {
      search.due = true;
      // Navigations are transitions too. So a link that was clicked before now is known when this takes effect.
      startTransition(countPause);
    }, PAUSE_MS);
  }, []);

  /** The history entry whose text the field shows. */
  const shownAt = useRef(key);

  useEffect(() => {
    const input = field.current;
    // The Back button shows another entry: its text is right, whatever was typed since.
    if (cameBack && shownAt.current !== key) {
      clearTimeout(timer.current);
      pending.current = undefined;
      if (input) input.value = value;
    }
    shownAt.current = key;
    const search = pending.current;
    if (!search) {
      // Something else changed the URL, such as a link that clears the search.
      if (!destination && input && input.value.trim() !== value && document.activeElement !== input)
        input.value = value;
      return;
    }
    if (!search.due) return;
    if (destination) {
      const isSearch =
        destination.pathname === pathname && textIn(destination) === searched.current;
      // A newer search replaces one that is on its way; any other navigation goes first.
      if (!isSearch || search.tries > 0) return;
    } else if (search.text === value || search.tries === 2) {
      // Two tries: another navigation may have replaced the first, and the server may clean the text.
      pending.current = undefined;
      return;
    }
    search.tries++;
    searched.current = search.text;
    latestSearch.current(search.text);
  }, [latestSearch, pathname, key, cameBack, value, destination, pauses]);

  useEffect(() => {
    const input = field.current;
    // Text that was typed before the scripts arrived.
    if (input && input.value !== input.defaultValue && document.activeElement === input) onChange();
    return () => clearTimeout(timer.current);
  }, [onChange]);

  return { ref: field, onChange };
}

const textIn = ({ search }: { search: string }) => new URLSearchParams(search).get('q') ?? '';

export interface SearchFormProps extends Omit<SearchFieldProps, 'onSearch'> {
  /** The path of the list. */
  action: string;
  /** The other parameters of the list's URL, which a search keeps; those without a value are left out. */
  keep: Record<string, string | null>;
  /** The list with this search, from its first page. */
  href: (q: string) => string;
  /** Of the form, for choices outside of it. */
  id?: string;
}

/** Searches a list whose state is in its URL: as a form without scripts, while you type with them. */
export function SearchForm({ action, keep, href, id, ...field }: SearchFormProps) {
  const navigate = useNavigate();
  return (
    <Form id={id} action={action} role="search" className={styles.form} preventScrollReset>
      <SearchField
        {...field}
        onSearch={(q) => navigate(href(q), { replace: true, preventScrollReset: true })}
      />
      {Object.entries(keep).map(
        ([name, kept]) =>
          kept !== null && <input key={name} type="hidden" name={name} value={kept} />,
      )}
      <button className={`${button.button} without-scripts`}>Search</button>
    </Form>
  );
}
