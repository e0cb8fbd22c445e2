import { Link, useLocation } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import styles from './docs-contents.module.css';
import type { PageLink } from './docs-page.ts';
import type { SectionLink } from './section.tsx';

export interface DocsContentsProps {
  groups: { group: string; pages: PageLink[] }[];
  /** Sections of the current page. */
  sections: SectionLink[];
  /** Whether the sections stand below the pages instead of right of the text. */
  wide: boolean;
}

/**
 * The pages of the documentation and the sections of the current one: beside the text, or on a phone in a line above it
 * that unfolds, which needs no script.
 */
export function DocsContents({ groups, sections, wide }: DocsContentsProps) {
  const current = useCurrentSection(sections.map(({ id }) => id));
  const { pathname, hash } = useLocation();
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (fold.current) fold.current.open = false;
  }, [pathname, hash]);
  const here = groups.flatMap(({ group, pages }) =>
    pages.filter(({ to }) => to === pathname).map(({ name }) => `${group}: ${name}`),
  )[0];
  const lists = (
    <>
      <Pages groups={groups} path={pathname} />
      <Sections sections={sections} current={current} />
    </>
  );
  return (
    <>
      <details ref={fold} className={styles.fold}>
        <summary>{here ?? 'Contents'}</summary>
        {/* A link to the section that is shown already changes no URL. */}
        <div
          onClick={(event) => {
            if ((event.target as Element).closest('a')) fold.current?.removeAttribute('open');
          }}
        >
          {lists}
        </div>
      </details>
      <div className={wide ? styles.wide : styles.beside}>{lists}</div>
    </>
  );
}

const Pages = ({ groups, path }: { groups: DocsContentsProps['groups']; path: string }) => (
  <nav aria-label="Documentation" className={styles.pages}>
    {groups.map(({ group, pages }) => (
      <div key={group}>
        <p>{group}</p>
        <ul>
          {pages.map(({ to, name }) => (
            <li key={to}>
              <Link to={to} aria-current={to === path ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
);

const Sections = ({ sections, current }: { sections: SectionLink[]; current: string | null }) => (
  <nav aria-label="On this page" className={styles.sections}>
    <p>On this page</p>
    <ul>
      {sections.map(({ id, title, code }) => (
        <li key={id}>
          <a href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
            {code ? <code>{title}</code> : title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** A section counts as read from where its heading is this far below the top of the window (px). */
const READING_LINE = 120;

/** Which of the sections is being read; null before the page has hydrated, and above the first one. */
function useCurrentSection(ids: readonly string[]): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  const { hash } = useLocation();
  const all = ids.join(' ');
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      setCurrent(currentOf(all.split(' '), hash.slice(1)));
    };
    const later = () => (frame ||= requestAnimationFrame(look));
    later();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [all, hash]);
  return current;
}

function currentOf(ids: string[], target: string): string | null {
  const top = (id: string) => document.getElementById(id)?.getBoundingClientRect().top;
  // The last sections never reach the top of the window: there, the one that was asked for counts, or the last.
  const { scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight > clientHeight && scrollY + clientHeight >= scrollHeight - 2) {
    const below = top(target);
    return ids.includes(target) && below !== undefined && below > 0 ? target : (ids.at(-1) ?? null);
  }
  return ids.findLast((id) => (top(id) ?? Infinity) <= READING_LINE) ?? null;
}
