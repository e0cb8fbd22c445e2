import { Form, useLocation, useNavigate } from '@remix-run/react';
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import {
  SEARCH_MAX,
  searchPageHref,
  type SearchHit,
  type SearchResult,
} from '#server/search/search.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from './button.module.css';
import card from './card.module.css';
import { useCombobox } from './combobox.tsx';
import { Link } from './link.tsx';
import { SearchBox, SearchIcon } from './search-box.tsx';
import { SearchHitLine } from './search-hit.tsx';
import { useShortcutSetting } from './shortcut-setting.tsx';
import styles from './site-search.module.css';

/** The page of a search, which has a field of its own. */
const SEARCH_PAGE = hrefs.search();

/** Results that are listed below the field. */
const LISTED = 8;

/** The search across the site, in the header: a field where there is room for it, else a link to its page. */
export function SiteSearch() {
  const { pathname } = useLocation();
  const [opened, setOpened] = useState(0);
  const [shortcuts] = useShortcutSetting();
  useSearchKey(shortcuts);
  if (pathname === SEARCH_PAGE) return null;
  return (
    <>
      {/*
        Another page begins with an empty field, and so does what was opened here, as a node opens on the map's own page.
        Not each location: the map writes its view into the address while someone types.
      */}
      <SearchCombobox
        key={`${pathname} ${opened}`}
        shortcuts={shortcuts}
        onOpen={() => setOpened((times) => times + 1)}
      />
      <Link to={SEARCH_PAGE} className={`${button.icon} ${styles.link}`} aria-label="Search">
        <SearchIcon />
      </Link>
    </>
  );
}

/**
 * With scripts a combobox: results while you type, the arrow keys go through them, Enter opens the chosen or the only
 * one, and otherwise the page with all results. Without scripts a form.
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
function SearchCombobox({ shortcuts, onOpen }: { shortcuts: boolean; onOpen: () => void }) {
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const found = useSearchHits(text);
  const options = optionsOf(found);
  const expanded = open && options.length > 0;
  // Results of an earlier text stay in sight, but no key chooses them: Enter belongs to what is typed now.
  const combobox = useCombobox(found?.text === text ? options.map(({ key }) => key) : [], expanded);

  /** A text that was entered before its results were known. */
  const entered = useRef<string | null>(null);
  useEffect(() => {
    if (found === null || entered.current !== found.text) return;
    entered.current = null;
    navigate(destinationOf(found));
    onOpen();
  }, [found, navigate, onOpen]);

  const goTo = (href: string) => {
    navigate(href);
    onOpen();
  };
  const onEnter = () => {
    const typed = field.current?.value.trim() ?? '';
    const chosen = options[combobox.active];
    if (chosen) goTo(chosen.href);
    else if (found?.text === typed) goTo(destinationOf(found));
    else if (typed !== text) goTo(searchPageHref(typed));
    else if (typed !== '') entered.current = typed;
  };
  const onInput = () => {
    entered.current = null;
    combobox.reset();
    setOpen(true);
    setText(field.current?.value.trim() ?? '');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (combobox.move(event.key)) setOpen(true);
    else if (event.key === 'Escape' && expanded) {
      setOpen(false);
      combobox.reset();
    } else return;
    event.preventDefault();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false);
  };
  return (
    <Form
      action={SEARCH_PAGE}
      role="search"
      aria-label="Site"
      className={styles.form}
      onBlur={onBlur}
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <SearchBox
        ref={field}
        name="q"
        label="Search nodes, names and compute"
        placeholder="Search nodes and names"
        maxLength={SEARCH_MAX}
        aria-keyshortcuts={shortcuts ? '/' : undefined}
        data-site-search=""
        onFocus={() => setOpen(true)}
        {...(hydrated && {
          ...combobox.field,
          onInput,
          onKeyDown,
        })}
      />
      {shortcuts && (
        <kbd className={`${styles.key} needs-scripts`} aria-hidden>
          /
        </kbd>
      )}
      {expanded && (
        <ul
          {...combobox.list}
          className={`${card.floating} ${styles.results}`}
          aria-label="Results"
          // The field keeps the focus while a result is clicked.
          onPointerDown={(event) => event.preventDefault()}
        >
          {options.map(({ key, href, hit }, index) => (
            <li key={key} role="none">
              <Link
                to={href}
                {...combobox.option(index)}
                className={styles.option}
                onClick={(event) => {
                  // Another tab's page leaves this one as it is.
                  if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onOpen();
                }}
              >
                {hit ? <SearchHitLine hit={hit} /> : `All results for “${found?.text}”`}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {open && found && options.length === 0 && (
        <p className={`${card.floating} ${styles.results} ${styles.none}`}>{noneText(found)}</p>
      )}
      <span className="visually-hidden" aria-live="polite">
        {open && found && announcement(found)}
      </span>
    </Form>
  );
}

interface Option {
  key: string;
  href: string;
  /** Null: the page with all results. */
  hit: SearchHit | null;
}

function optionsOf(found: FoundHits | null): Option[] {
  const hits = found?.result?.hits ?? [];
  if (!found || hits.length === 0) return [];
  const listed = hits
    .slice(0, LISTED)
    .map((hit) => ({ key: `${hit.kind} ${hit.id}`, href: hit.href, hit }));
  if (hits.length === 1) return listed;
  return [...listed, { key: 'all', href: searchPageHref(found.text), hit: null }];
}

/** Where Enter leads: to the only result, else to the page with all of them. */
function destinationOf({ text, result }: FoundHits): string {
  const [only, ...others] = result?.hits ?? [];
  return only && others.length === 0 ? only.href : searchPageHref(text);
}

const noneText = ({ text, result }: FoundHits): string =>
  result ? `Nothing matches “${text}”.` : 'Search is unavailable. Press Enter to try again.';

function announcement(found: FoundHits): string {
  const count = found.result?.hits.length ?? 0;
  if (count === 0) return noneText(found);
  return count === 1
    ? '1 result. Press Enter to open it.'
    : `${count} results. Use the arrow keys to choose one.`;
}

/** How long after the last keystroke the search starts, ms. */
const PAUSE_MS = 150;

interface FoundHits {
  /** The text that was searched for. */
  text: string;
  /** Null if the search failed. */
  result: SearchResult | null;
}

/**
 * Searches for what is typed once typing pauses. Until the next results are there, the earlier ones stay.
 * @param text trimmed; empty: nothing is searched for
 */
function useSearchHits(text: string): FoundHits | null {
  const [found, setFound] = useState<FoundHits | null>(null);
  useEffect(() => {
    if (text === '') return;
    const gone = new AbortController();
    const { signal } = gone;
    const search = async () => {
      let result: SearchResult | null = null;
      try {
        // Only who searches needs the client.
        const { trpc } = await import('#app/lib/trpc.client.ts');
        result = await trpc.search.query({ q: text }, { signal });
      } catch {
        // The page of the search says what is wrong.
      }
      if (!signal.aborted) setFound({ text, result });
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text]);
  return text === '' ? null : found;
}

/** Where a slash is text, or keys belong to something else. */
const TYPES = 'input, textarea, select, [contenteditable], dialog[open]';

/**
 * The key `/` moves the focus to the site's search field: the one on its page or the one in the header. Where the header
 * has no room for it, it opens the page.
 * @param on whether keyboard shortcuts are switched on
 */
function useSearchKey(on: boolean): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!on) return;
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.defaultPrevented || (event.target as Element).closest?.(TYPES)) return;
      const fields = [...document.querySelectorAll<HTMLInputElement>('[data-site-search]')];
      const field = fields.find((one) => one.checkVisibility());
      event.preventDefault();
      if (field) field.select();
      else navigate(hrefs.search());
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [on, navigate]);
}
