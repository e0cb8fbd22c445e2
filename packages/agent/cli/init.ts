import { resolve } from 'node:path';
import { userConfigFile } from '../config/paths.ts';
import {
  type Answers,
  answersWithoutQuestions,
  readFlags,
  type InitFlags,
} from '../init/options.ts';
import { askQuestions } from '../init/questions.ts';
import { requireAbsent, writeFiles, type Written } from '../init/write.ts';
import { EXIT } from '../base/exit.ts';
import { print, type Io } from '../terminal/io.ts';

/** `mesh-agent init` */
export async function init(io: Io, flags: InitFlags): Promise<number> {
  const config = resolve(flags.config ?? defaultFile(io));
  requireAbsent(config, flags.force ?? false);
  const given = await readFlags(io, flags);
  const asks = io.stdin.isTTY === true && io.stdout.isTTY === true && !flags.yes;
  const answers = asks
    ? await askQuestions(io, given, config)
    : await answersWithoutQuestions(given);
  report(io, answers, writeFiles(answers, config), flags.config !== undefined);
  return EXIT.ok;
}

/** For root, the system's. */
const defaultFile = (io: Io): string =>
  process.getuid?.() === 0 && !io.env['XDG_CONFIG_HOME']
    ? '/etc/mesh-agent/config.toml'
    : userConfigFile(io.env);

function report(io: Io, answers: Answers, written: Written, named: boolean): void {
  const { nodeId, place } = answers;
  const option = named ? ` --config ${written.config}` : '';
  print(
    io,
    `Configuration  ${written.config}`,
    `Key            ${written.key} (${written.keyIsNew ? 'new' : 'kept'}): back it up, it is the node's identity`,
    `Public key     ${written.publicKey}`,
    ...(written.secret === null ? [] : [`Secret         ${written.secret}`]),
    `Node           ${nodeId}, ${place ? `on the map at ${place.lat}, ${place.lng} (rounded)` : 'not on the map'}`,
    '',
    'Next:',
    `  mesh-agent doctor${option}   checks everything before the first heartbeat`,
    `  mesh-agent run${option}      stays on the map until Ctrl-C; as a service: mesh-agent service systemd`,
  );
}
