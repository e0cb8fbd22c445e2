import { main } from './cli/program.ts';

/** The process: the only file with side effects. */

/** Set by the build. */
declare const AGENT_VERSION: string | undefined;

// A full disk behind the log, or a reader that has gone, is no reason to end.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const exitCode = await main(
  {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    node: process.execPath,
    script: process.argv[1] ?? '',
    version: typeof AGENT_VERSION === 'string' ? AGENT_VERSION : 'development',
    pid: process.pid,
  },
  process.argv.slice(2),
);
// Once everything is written; idle connections would keep the process for some seconds.
process.stdout.write('', () => process.exit(exitCode));
