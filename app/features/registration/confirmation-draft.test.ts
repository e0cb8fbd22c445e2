import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfirmationDraft } from './confirmation-draft.ts';

/** A field, as far as a draft uses it. */
class Field {
  selection: [number, number] | undefined;
  constructor(
    public value = '',
    readonly visible = true,
  ) {}
  checkVisibility = () => this.visible;
  focus = () => (page.activeElement = this);
  setSelectionRange = (start: number, end: number) => (this.selection = [start, end]);
}
const input = (value?: string, visible?: boolean) =>
  new Field(value, visible) as Field & HTMLInputElement;

const body = {};
let heading: { tabIndex: number; focus: () => void };
let page: { activeElement: unknown; body: unknown; querySelector: () => unknown };
let draft: ConfirmationDraft;

beforeEach(() => {
  heading = { tabIndex: 0, focus: () => (page.activeElement = heading) };
  page = { activeElement: body, body, querySelector: () => heading };
  vi.stubGlobal('document', page);
  draft = new ConfirmationDraft('reg_1');
});
afterEach(() => vi.unstubAllGlobals());

/** A form that is removed takes the focus with it. */
const replaced = (detach: () => void) => {
  detach();
  page.activeElement = body;
};

test('text and focus move on to the form that replaces the one somebody types into', () => {
  const detach = draft.attach(input(), true);
  draft.setFocused(true);
  draft.type('#D-7Q');
  replaced(detach);
  const next = input();
  draft.attach(next, true);
  draft.restoreFocus();
  expect(next.value).toBe('#D-7Q');
  expect(page.activeElement).toBe(next);
  expect(next.selection).toEqual([5, 5]);
});

test('what was typed before hydration stays, and moves on too', () => {
  const first = input('early');
  page.activeElement = first;
  const detach = draft.attach(first, true);
  expect(first.value).toBe('early');
  replaced(detach);
  const next = input();
  draft.attach(next, true);
  draft.restoreFocus();
  expect(next.value).toBe('early');
  expect(page.activeElement).toBe(next);
});

test('a text that was sent is not filled in again', () => {
  const detach = draft.attach(input(), true);
  draft.type('#D-7Q2M41');
  replaced(detach);
  const next = input();
  draft.attach(next, false);
  expect(next.value).toBe('');
});

test('nobody who is elsewhere on the page loses the focus', () => {
  const detach = draft.attach(input(), true);
  draft.setFocused(true);
  detach();
  const elsewhere = (page.activeElement = {});
  draft.attach(input(), true);
  draft.restoreFocus();
  expect(page.activeElement).toBe(elsewhere);
});

test('a form that nobody was typing into gets no focus', () => {
  const detach = draft.attach(input(), true);
  draft.setFocused(true);
  draft.setFocused(false);
  replaced(detach);
  draft.attach(input(), true);
  draft.restoreFocus();
  expect(page.activeElement).toBe(body);
});

test.each([
  ['there is no form any more', null],
  ['the form is hidden', false],
])('where %s, the heading gets the focus', (_, visible) => {
  const detach = draft.attach(input(), true);
  draft.setFocused(true);
  replaced(detach);
  if (visible !== null) draft.attach(input('', visible), true);
  draft.restoreFocus();
  expect(page.activeElement).toBe(heading);
  expect(heading.tabIndex).toBe(-1);
});

test('the focus is restored once', () => {
  const detach = draft.attach(input(), true);
  draft.setFocused(true);
  replaced(detach);
  draft.restoreFocus();
  page.activeElement = body;
  draft.restoreFocus();
  expect(page.activeElement).toBe(body);
});
