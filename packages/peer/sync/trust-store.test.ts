import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  HOUR,
  iso,
  keys,
  owners,
  role,
  root,
  START,
  truth,
} from '../../../test/support/network-truth.ts';
import {
  temporaryDirectory,
  type TemporaryDirectory,
} from '../../../test/support/temporary-directory.ts';
import { loadTrust, saveTrust } from './trust-store.ts';

const now = () => START + HOUR;
let folder: TemporaryDirectory;
beforeEach(() => (folder = temporaryDirectory()));
afterEach(() => folder.remove());

const pinned = { roots: [root()], truth: truth() };

test('what was believed before is believed again, and what is pinned adds to it', () => {
  const before = loadTrust(folder.path, { ...pinned, truth: null }, now);
  expect(before.truth).toBeNull();
  saveTrust(folder.path, before);
  expect(loadTrust(folder.path, pinned, now).truth?.version).toBe(1);
});

test('a truth that is pinned may be signed by keys that a later root has removed', () => {
  const others = keys(1);
  const before = loadTrust(folder.path, pinned, now);
  const roles = { ...before.root.roles, truth: role(others, 1) };
  before.takeRoot(root({ version: 2, issued: iso(START), roles }, owners.slice(0, 2)));
  saveTrust(folder.path, before);
  const after = loadTrust(folder.path, pinned, now);
  expect(after.root.version).toBe(2);
  expect(after.truth).toBeNull();
});

test('a truth that the pinned keys have not signed stops the start', () => {
  const forged = { ...pinned, truth: truth({}, owners.slice(0, 2)) };
  expect(() => loadTrust(folder.path, forged, now)).toThrow('not signed');
});
