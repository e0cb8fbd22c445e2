import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { createProgram } from './program.ts';

/** Every command that does something, with the words that lead to it. */
function commandsOf(parent: Command, path: string[] = []): { command: Command; path: string[] }[] {
  return parent.commands.flatMap((command) => {
    const words = [...path, command.name()];
    return command.commands.length > 0 ? commandsOf(command, words) : [{ command, path: words }];
  });
}

const silent = { write: () => true } as unknown as Io['stdout'];
const program = () =>
  createProgram(
    { env: {}, stdout: silent, stderr: silent, version: '1.2.3' } as unknown as Io,
    () => {},
  );

describe('a value that begins with a dash', () => {
  const options = commandsOf(program()).flatMap(({ command, path }) =>
    command.options
      .filter(({ required }) => required)
      .map(({ long, short }) => ({ path, flag: long ?? short ?? '' })),
  );

  test('is tried with every option that takes one', () => {
    expect(options.map(({ path, flag }) => [...path, flag].join(' '))).toContain(
      'truth draft root --root-key',
    );
    expect(options.length).toBeGreaterThan(40);
  });

  test.each(options)('is the value of $path $flag', async ({ path, flag }) => {
    for (const value of ['-VqLj5P_89iXES9', '-V', '-h', '--json', '--version']) {
      const all = program();
      const { command } =
        commandsOf(all).find((one) => one.path.join(' ') === path.join(' ')) ?? {};
      const option = command?.options.find(({ long }) => long === flag);
      if (!command || !option) throw new Error(`${path.join(' ')} ${flag} is gone.`);
      let ran = 0;
      command.action(() => void ran++);
      const others = command.options.filter(({ mandatory, long }) => mandatory && long !== flag);
      await all.parseAsync(
        [
          ...path,
          ...command.registeredArguments.map(({ required }) => (required ? ['file'] : [])).flat(),
          ...others.flatMap(({ long }) => [long ?? '', 'other']),
          flag,
          value,
        ],
        { from: 'user' },
      );
      expect(ran).toBe(1);
      const parsed: unknown = command.opts()[option.attributeName()];
      expect([parsed].flat()).toEqual([value]);
    }
  });
});
