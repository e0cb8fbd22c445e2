import { realpathSync } from 'node:fs';
import { containerFiles } from '../service/container.ts';
import { systemdUnit } from '../service/systemd.ts';
import { EXIT } from '../base/exit.ts';
import type { Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';
import { requirePeer } from './peer.ts';

/** `mesh-agent service systemd` */
export function serviceSystemd(io: Io, options: CommonOptions & { peer?: boolean }): number {
  const config = configOf(io, options);
  if (options.peer) requirePeer(config);
  // The command may be a link that a package manager replaces.
  io.stdout.write(
    systemdUnit({
      node: io.node,
      script: realpathSync(io.script),
      config,
      process: options.peer ? 'peer' : 'run',
    }),
  );
  return EXIT.ok;
}

/** `mesh-agent service container` */
export function serviceContainer(io: Io, options: CommonOptions): number {
  io.stdout.write(containerFiles(configOf(io, options), io.version));
  return EXIT.ok;
}
