import { Form, Link, useLocation, useNavigate } from '@remix-run/react';
import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import { SEARCH_MAX, searchPageHref, type SearchHit } from '#server/search/search.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from './button.module.css';
import card from './card.module.css';
import { SearchBox, SearchIcon } from './search-box.tsx';
import { SearchHitLine } from './search-hit.tsx';
import styles from './site-search.module.css';
import { useSearchHits, type FoundHits } from './use-search-hits.ts';
import { useSearchKey } from './use-search-key.ts';

/** The page of a search, which has a field of its own. */
const SEARCH_PAGE = hrefs.search();

/** Results that are listed below the field. */
const LISTED = 8;

/** The search across the site, in the header: a field where there is room for it, else a link to its page. */
export function SiteSearch() {
  const { pathname, key } = useLocation();
  useSearchKey();
  if (pathname === SEARCH_PAGE) return null;
  return (
    <>
      {/* Another page begins with an empty field. */}
      <SearchCombobox key={key} />
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
function SearchCombobox() {
  const hydrated = useHydrated();
  const navigate = useNavigate();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  /** The position of the chosen option; -1: none, the field itself. */
  const [active, setActive] = useState(-1);
  const found = useSearchHits(text);
  const options = open ? optionsOf(found) : [];

  /** A text that was entered before its results were known. */
  const entered = useRef<string | null>(null);
  useEffect(() => {
    if (found === null || entered.current !== found.text) return;
    entered.current = null;
    navigate(destinationOf(found));
  }, [found, navigate]);

  const onEnter = () => {
    const typed = field.current?.value.trim() ?? '';
    const chosen = options[active];
    if (chosen) navigate(chosen.href);
    else if (found?.text === typed) navigate(destinationOf(found));
    else if (typed !== text) navigate(searchPageHref(typed));
    else if (typed !== '') entered.current = typed;
  };
  const onInput = () => {
    entered.current = null;
    setActive(-1);
    setOpen(true);
    setText(field.current?.value.trim() ?? '');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && optionsOf(found).length > 0) {
      // One step beyond either end is the field itself.
      const stops = optionsOf(found).length + 1;
      setOpen(true);
      setActive(open ? ((active + 1 + step + stops) % stops) - 1 : step > 0 ? 0 : stops - 2);
    } else if (event.key === 'Escape' && options.length > 0) {
      setOpen(false);
      setActive(-1);
    } else return;
    event.preventDefault();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false);
  };
  const expanded = options.length > 0;
  const optionId = (index: number) => `${listId}-${index}`;
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
        placeholder="Search"
        maxLength={SEARCH_MAX}
        aria-keyshortcuts="/"
        data-site-search=""
        onFocus={() => setOpen(true)}
        {...(hydrated && {
          role: 'combobox',
          'aria-autocomplete': 'list',
          'aria-expanded': expanded,
          'aria-controls': expanded ? listId : undefined,
          'aria-activedescendant': expanded && active >= 0 ? optionId(active) : undefined,
          onInput,
          onKeyDown,
        })}
      />
      <kbd className={`${styles.key} needs-scripts`} aria-hidden>
        /
      </kbd>
      {expanded && (
        <ul
          id={listId}
          className={`${card.floating} ${styles.results}`}
          role="listbox"
          aria-label="Results"
          // The field keeps the focus while a result is clicked.
          onPointerDown={(event) => event.preventDefault()}
        >
          {options.map(({ key, href, hit }, index) => (
            <li key={key} role="none">
              <Link
                to={href}
                role="option"
                id={optionId(index)}
                aria-selected={index === active}
                tabIndex={-1}
                className={styles.option}
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
