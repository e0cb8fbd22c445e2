import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Phrases that readers stumbled over, with what to say instead. They don't come back. */
const INSTEAD: Record<string, string> = {
  'No data since it joined': 'No data yet: joined less than 24 hours ago',
  'What works at the moment': 'Current status and the last 24 hours',
  'Before that it was away for': 'Before that it was down for',
  'Last answer after': 'Last response in',
  'is in force': 'the current settings',
  'names no block of the log': 'the settings don’t pin a log entry yet',
  'pass this list on': 'send this list to the holders of the network’s keys',
  'it stands for': 'names, or belongs to',
  'name stands for': 'names, or belongs to',
  '’Stands for’': 'Kinds',
  'runs outside production': 'is running in development mode',
  'the same for good': 'permanent',
  'is right: heartbeats': 'is valid: sends heartbeats',
  'off machines with a network': 'on a machine that is never online',
  'by any way': 'any way you like',
  'truth of now': 'the current settings',
  'that are not given stay': 'roles you leave out stay as they are',
  'tell each other nothing': 'they share nothing',
  'mistake of ours': 'a bug in this service',
  'Nothing published': 'an unconfigured page isn’t linked',
  'Kept in this browser': 'Saved in this browser',
  'This browser keeps nothing': 'This browser can’t save the link: copy it',
  'Tell us you have paid': 'Report your payment',
  'Hear when it is decided': 'Get notified',
  'Choosing both costs the same': 'Registering both costs the same',
  'You can’t add one later': 'You can’t add the other later',
  'lost link is no lost name': 'losing a link doesn’t lose the name',
  'Don’t believe this page': 'Don’t rely on this page',
  'silent for long leaves by itself': 'a node that stays silent is removed automatically',
  'as its operator names it': 'set by its operator',
  'with one element of HTML': 'with one HTML element',
  'The service is away:': 'The service is unavailable:',
  'The disk fails what it keeps': 'Couldn’t store data on disk',
  'shows what it says': 'shows its log',
  'is no public key': 'isn’t a public key',
};

const root = join(import.meta.dirname, '..');

test('phrases that readers stumbled over are gone', () => {
  const files = execFileSync(
    'git',
    ['ls-files', 'app', 'server', 'packages', 'docs', 'README.md'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter((file) => /\.(tsx?|md)$/.test(file) && existsSync(join(root, file)));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => {
    // Lines break anywhere in a text, in comments too.
    const text = readFileSync(join(root, file), 'utf8')
      .replace(/\{' '\}/g, ' ')
      .replace(/\s+(?:\* |\/\/ )?/g, ' ')
      .replaceAll("'", '’')
      .toLowerCase();
    return Object.entries(INSTEAD)
      .filter(([phrase]) => text.includes(phrase.toLowerCase()))
      .map(([phrase, instead]) => `${file}: “${phrase}”, say “${instead}”`);
  });
  expect(found).toEqual([]);
});
