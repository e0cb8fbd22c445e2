import { NavLink, useLocation } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { POPOVER, popoverTarget } from '#app/lib/remix-workarounds/popover.ts';
import styles from './docs-contents.module.css';
import type { PageLink } from './docs-page.ts';
import type { SectionLink } from './section.tsx';

export interface DocsContentsProps {
  groups: { group: string; pages: PageLink[] }[];
  /** Sections of the current page. */
  sections: SectionLink[];
}

/**
 * The pages of the documentation and the sections of the current one. Beside the text if there is room; on a
 * phone a bar that stays on top opens them. They are a popover, which needs no script.
 */
export function DocsContents({ groups, sections }: DocsContentsProps) {
  const current = useCurrentSection(sections.map(({ id }) => id));
  const panel = useRef<HTMLDivElement>(null);
  const { pathname, hash } = useLocation();
  useEffect(() => panel.current?.hidePopover?.(), [pathname, hash]);
  useEffect(() => keepInView(panel.current), [current]);
  return (
    <div className={styles.side}>
      <div className={styles.bar}>
        <button
          type="button"
          className={styles.toggle}
          aria-label="Contents"
          {...popoverTarget('docs-contents')}
        >
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden>
            <path d="M3 5h14M3 10h9M3 15h11" stroke="currentColor" strokeWidth="1.75" />
          </svg>
          <strong>Contents</strong>
          <span>{sections.find(({ id }) => id === current)?.title}</span>
        </button>
      </div>
      <div
        ref={panel}
        id="docs-contents"
        className={styles.panel}
        // A link to the section that is shown already changes no URL.
        onClick={(event) => {
          if ((event.target as Element).closest('a')) panel.current?.hidePopover?.();
        }}
        {...POPOVER}
      >
        <nav aria-label="Documentation" className={styles.pages}>
          {groups.map(({ group, pages }) => (
            <div key={group}>
              <p>{group}</p>
              <ul>
                {pages.map(({ to, name }) => (
                  <li key={to}>
                    <NavLink to={to} end>
                      {name}
                    </NavLink>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
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
      </div>
    </div>
  );
}

/** Scrolls the contents, and nothing else, to the link of the current section. */
function keepInView(panel: HTMLElement | null): void {
  const link = panel?.querySelector<HTMLElement>('[aria-current="location"]');
  if (!panel || !link || panel.scrollHeight <= panel.clientHeight) return;
  const [outer, inner] = [panel.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  panel.scrollTop += inner.top - outer.top - outer.height / 2;
}

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
