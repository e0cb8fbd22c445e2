/**
 * Runs `begin` whenever the page is visible, and what it returned as soon as the page is hidden. A browser opens six
 * connections to a host without HTTP/2: event streams of background tabs would hold them all. A tab that is opened in
 * the background begins once somebody looks at it.
 *
 * @returns ends it for good
 */
export function whileVisible(begin: () => () => void): () => void {
  let end: (() => void) | undefined;
  const update = () => {
    if (document.hidden) {
      end?.();
      end = undefined;
    } else end ??= begin();
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    end?.();
    end = undefined;
  };
}
