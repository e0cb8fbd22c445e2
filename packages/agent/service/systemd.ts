import type { Config } from '../config/load.ts';

/** What a unit needs to know of this machine: absolute paths. */
export interface Installation {
  node: string;
  script: string;
  config: Config;
  /** Which of its two processes. */
  process: 'run' | 'peer';
}

/**
 * Keeps a peer process small: blocks pass through memory that is not JavaScript's, and is freed only when V8 looks
 * through its new objects. With the default of 16 MiB for these that is seldom, and glibc keeps an arena for each thread.
 * Both have to be said before the process begins; where they mean nothing they do no harm.
 */
export const PEER_ENVIRONMENT = {
  NODE_OPTIONS: '--max-semi-space-size=2',
  MALLOC_ARENA_MAX: '1',
};

/** What differs between the units. Each has directories of its own: systemd gives them to one unit's user. */
const UNITS = {
  run: {
    name: 'mesh-agent',
    description: 'Mesh Registry agent',
    hint: 'After a change: systemctl reload for the configuration, restart for the key or the secret.',
    reload: 'ExecReload=/bin/kill -HUP $MAINPID\n',
    environment: '',
    families: 'AF_INET AF_INET6 AF_UNIX',
    memory: '256M',
  },
  peer: {
    name: 'mesh-peer',
    description: 'Mesh Registry peer process',
    hint: 'Its port, 9900 by default, has to be open to other nodes. After a change: systemctl restart.',
    reload: '',
    environment: `# It takes some 30 MB less with these.
${Object.entries(PEER_ENVIRONMENT)
  .map(([name, value]) => `Environment=${name}=${value}\n`)
  .join('')}`,
    // The last one tells it the addresses of this machine.
    families: 'AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    memory: '512M',
  },
};

const inHome = (path: string) => /^\/(home|root|Users)\//.test(path);

/** An argument of ExecStart: `%` and `$` are systemd's, and spaces divide. */
const quoted = (path: string) => {
  const escaped = path.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(escaped) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
};

/** A unit that gives the process nothing but the network, its state and its credentials. */
export function systemdUnit({ node, script, config, process }: Installation): string {
  const { file } = config;
  const { name: unit, description, hint, reload, environment, families, memory } = UNITS[process];
  const credentials = [
    ['identity.key', config.node.keyFile],
    ...(config.service.secretFile === null || process === 'peer'
      ? []
      : [['secret', config.service.secretFile]]),
  ] as [string, string][];
  const warnings = [
    ...(process === 'peer' && config.peer?.genesis.length === 0
      ? ['peer.genesis is empty: on the Genesis host add --no-genesis to ExecStart.']
      : []),
    ...(/[/\\]_npx[/\\]/.test(script)
      ? [
          `${script} is in npx's cache, which npm empties: install the agent first, for example with npm install --global.`,
        ]
      : []),
    ...[...new Set([node, script, file])]
      .filter(inHome)
      .map(
        (path) =>
          `${path} is in a home directory: the unit's own user may not get there. Better below /usr/local, /opt or /etc.`,
      ),
  ];
  const protectHome = [node, script, file].some(inHome) ? 'read-only' : 'yes';
  return `${warnings.map((warning) => `# WARNING: ${warning}\n`).join('')}# /etc/systemd/system/${unit}.service
#   sudo systemctl daemon-reload && sudo systemctl enable --now ${unit}
#   journalctl -u ${unit.padEnd(17)} what it says
#   sudo mesh-agent status          what it did last
# ${hint}

[Unit]
Description=${description}
Documentation=man:systemd.exec(5)
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${quoted(node)} ${quoted(script)} ${process} --config ${quoted(file)}
${reload}${environment}Restart=always
RestartSec=5
# A wrong option, a wrong configuration, or one that runs already: starting again would not help.
RestartPreventExitStatus=2 3 6
TimeoutStopSec=5

# A user that exists only while it runs. systemd reads its credentials for it.
DynamicUser=yes
${credentials.map(([name, path]) => `LoadCredential=${name}:${path}`).join('\n')}
StateDirectory=${unit}
StateDirectoryMode=0700
RuntimeDirectory=${unit}
RuntimeDirectoryMode=0700
UMask=0077

ProtectSystem=strict
ProtectHome=${protectHome}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
LockPersonality=yes
RestrictAddressFamilies=${families}
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: V8 compiles JavaScript to machine code.
MemoryMax=${memory}

[Install]
WantedBy=multi-user.target
`;
}
