import { realpathSync } from 'node:fs';
import { loadConfig } from '../config/load.ts';
import { configFile } from '../config/paths.ts';
import { containerFiles } from '../service/container.ts';
import { systemdUnit } from '../service/systemd.ts';
import { EXIT } from '../base/exit.ts';
import type { Io } from '../terminal/io.ts';
import { requirePeer } from './peer.ts';

interface ServiceOptions {
  config?: string;
  peer?: boolean;
}

/** `mesh-agent service systemd` */
export function serviceSystemd(io: Io, options: ServiceOptions): number {
  const config = loadConfig(configFile(options.config, io.env));
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
export function serviceContainer(io: Io, options: ServiceOptions): number {
  const config = loadConfig(configFile(options.config, io.env));
  io.stdout.write(containerFiles(config, io.version));
  return EXIT.ok;
}
