import { useNavigate } from '@remix-run/react';
import { useEffect } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';

/** Where a slash is text, or keys belong to something else. */
const TYPES = 'input, textarea, select, [contenteditable], dialog[open]';

/**
 * The key `/` moves the focus to the site's search field: the one on its page or the one in the header. Where the header
 * has no room for it, it opens the page.
 */
export function useSearchKey(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
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
  }, [navigate]);
}
