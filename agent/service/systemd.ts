import type { Config } from '../config/load.ts';

/** What a unit needs to know of this machine: absolute paths. */
export interface Installation {
  node: string;
  script: string;
  config: Config;
}

const inHome = (path: string) => /^\/(home|root|Users)\//.test(path);

/** An argument of ExecStart: `%` and `$` are systemd's, and spaces divide. */
const quoted = (path: string) => {
  const escaped = path.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(escaped) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
};

/** A unit that gives the agent nothing but the network, its state and its credentials. */
export function systemdUnit({ node, script, config }: Installation): string {
  const { file } = config;
  const credentials = [
    ['identity.key', config.node.keyFile],
    ...(config.service.secretFile === null ? [] : [['secret', config.service.secretFile]]),
  ] as [string, string][];
  const warnings = [
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
  return `${warnings.map((warning) => `# WARNING: ${warning}\n`).join('')}# /etc/systemd/system/mesh-agent.service
#   sudo systemctl daemon-reload && sudo systemctl enable --now mesh-agent
#   journalctl -u mesh-agent        what it says
#   sudo mesh-agent status          what it did last
# After a change: systemctl reload for the configuration, restart for the key or the secret.

[Unit]
Description=Mesh Registry agent
Documentation=man:systemd.exec(5)
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${quoted(node)} ${quoted(script)} run --config ${quoted(file)}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=5
# A wrong option, a wrong configuration, or an agent that runs already: starting again would not help.
RestartPreventExitStatus=2 3 6
TimeoutStopSec=5

# A user that exists only while the agent runs. systemd reads its credentials for it.
DynamicUser=yes
${credentials.map(([name, path]) => `LoadCredential=${name}:${path}`).join('\n')}
StateDirectory=mesh-agent
StateDirectoryMode=0700
RuntimeDirectory=mesh-agent
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
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: V8 compiles JavaScript to machine code.
MemoryMax=256M

[Install]
WantedBy=multi-user.target
`;
}
