import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DebouncedUrl } from './use-debounced-url.ts';

const REST_MS = 400;

/** What the hook passes on: where the router is, and the URL as it should be. */
let loading: string | null;
let state: unknown;
let href: string | null;
let navigations: { to: string; options: object }[];
let resting: DebouncedUrl;

/** As the hook does after a rest, and whenever a navigation begins or ends. */
const follow = () =>
  resting.follow(
    {
      loading,
      entry: { state },
      navigate: (to, options) => navigations.push({ to, options }),
    },
    () => href,
  );
const navigate = (to: string | null) => {
  loading = to;
  follow();
};
const targets = () => navigations.map(({ to }) => to);

beforeEach(() => {
  vi.useFakeTimers();
  [loading, state, href, navigations] = [null, null, '/?q=a', []];
  resting = new DebouncedUrl(REST_MS, follow);
});
afterEach(() => vi.useRealTimers());

describe('the URL follows', () => {
  test('once what it shows rests, and not before', () => {
    resting.changed();
    vi.advanceTimersByTime(REST_MS - 1);
    expect(targets()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(targets()).toEqual(['/?q=a']);
  });

  test('once for many changes, to what the last one left', () => {
    for (const q of ['a', 'ab', 'abc']) {
      href = `/?q=${q}`;
      resting.changed();
      vi.advanceTimersByTime(REST_MS - 1);
    }
    expect(targets()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(targets()).toEqual(['/?q=abc']);
  });

  test('in place of the history entry, which keeps its state and its scroll position', () => {
    resting.changed();
    state = { onMap: true };
    vi.advanceTimersByTime(REST_MS);
    expect(navigations[0]?.options).toEqual({
      replace: true,
      preventScrollReset: true,
      state: { onMap: true },
    });
  });

  test('once: later navigations of the page don’t repeat it', () => {
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    navigate('/?q=a');
    navigate(null);
    navigate('/status');
    navigate(null);
    expect(targets()).toEqual(['/?q=a']);
  });

  test('nothing where it is to stay as it is', () => {
    href = null;
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    href = '/?q=later';
    navigate(null);
    expect(targets()).toEqual([]);
  });
});

describe('a link that was clicked', () => {
  test.each([
    ['before it rests', 100],
    ['at the moment it rests', REST_MS],
  ])('%s goes first; the URL follows after it, as it should be by then', (_, ms) => {
    resting.changed();
    vi.advanceTimersByTime(ms - 1);
    navigate('/status');
    vi.advanceTimersByTime(10 * REST_MS);
    expect(targets()).toEqual([]);
    href = '/?q=by+now';
    navigate(null);
    expect(targets()).toEqual(['/?q=by+now']);
  });

  test('goes first although another one follows it', () => {
    resting.changed();
    navigate('/status');
    vi.advanceTimersByTime(REST_MS);
    navigate('/docs');
    expect(targets()).toEqual([]);
  });

  test('leads away for good if the page is gone by then', () => {
    resting.changed();
    navigate('/status');
    vi.advanceTimersByTime(REST_MS);
    resting.stop();
    navigate(null);
    expect(targets()).toEqual([]);
  });
});

describe('its own navigation', () => {
  beforeEach(() => {
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    navigate('/?q=a');
  });

  test('is ended by the next one, so a slow page holds nothing up', () => {
    href = '/?q=ab';
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    expect(targets()).toEqual(['/?q=a', '/?q=ab']);
  });

  test('doesn’t let a link be ended that was clicked after it', () => {
    navigate('/status');
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    expect(targets()).toEqual(['/?q=a']);
  });
});

describe('once stopped', () => {
  test('nothing rests any more', () => {
    resting.changed();
    resting.stop();
    vi.advanceTimersByTime(REST_MS);
    expect(targets()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('it can change again', () => {
    resting.changed();
    resting.stop();
    resting.changed();
    vi.advanceTimersByTime(REST_MS);
    expect(targets()).toEqual(['/?q=a']);
  });
});

test('what changes again while a link is followed has to rest again', () => {
  navigate('/status');
  resting.changed();
  vi.advanceTimersByTime(REST_MS);
  resting.changed();
  navigate(null);
  expect(targets()).toEqual([]);
  vi.advanceTimersByTime(REST_MS);
  expect(targets()).toEqual(['/?q=a']);
});
