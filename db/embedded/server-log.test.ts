import { expect, test } from 'vitest';
import { readServerLine } from './server-log.ts';

test('what PostgreSQL says about itself gets the level that it deserves', () => {
  for (const [line, level, code] of [
    ['postmaster|00000|LOG:  database system is ready to accept connections', 'info', '00000'],
    ['checkpointer|53100|PANIC:  could not write to file "x": No space left', 'error', '53100'],
    ['startup|XX000|FATAL:  could not open file', 'error', 'XX000'],
    ['autovacuum worker|01000|WARNING:  oldest xmin is far in the past', 'warn', '01000'],
    ['autovacuum worker|57014|ERROR:  canceling autovacuum task', 'info', '57014'],
    [
      'postmaster|00000|LOG:  client backend (PID 7) was terminated by signal 9: Killed',
      'warn',
      '00000',
    ],
    ['client backend|53100|PANIC:  could not extend file', 'error', '53100'],
  ] as const)
    expect(readServerLine(line)).toEqual({ level, code, message: line.replace(/.*?: +/, '') });
});

test('errors of statements, which may quote values, and everything else are left out', () => {
  for (const line of [
    'client backend|22P02|ERROR:  invalid input syntax for type integer: "secret"',
    'client backend|42601|STATEMENT:  select secret',
    'client backend|28P01|FATAL:  password authentication failed for user "secret"',
    'not initialized|00000|DEBUG1:  secret',
    '\tDETAIL of several lines: secret',
    'ld.so: some library is missing',
    '',
  ])
    expect(readServerLine(line), line).toBeNull();
});
