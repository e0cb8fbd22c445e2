/** What `--help` adds to commander's own lists. */

export type CommandName = 'run' | 'status';

const examples = (...lines: [command: string, does: string][]) =>
  `Examples:\n${lines.map(([command, does]) => `  ${does}\n    $ ${command}`).join('\n')}\n`;

export const EXAMPLES: Record<CommandName, string> = {
  run: `Without a section [map] in the configuration no heartbeat is sent, and without [[compute]] no
announcement. The agent never ends because the service is away. SIGHUP reads the configuration
again, SIGTERM ends it. The secret and the key are read for each request.

${examples(
  ['mesh-agent run', 'Stay on the map until Ctrl-C.'],
  ['mesh-agent run --dry-run', 'See the exact requests, with the secret masked.'],
  ['mesh-agent run --once', 'From a timer of your own, every 20 seconds.'],
)}`,
  status: `Ends with 0 if everything that is configured works, 1 if something does not, 6 if no agent runs.

${examples(
  ['mesh-agent status', 'What the agent did last.'],
  ['mesh-agent status --json | jq .heartbeats.fault', 'For a monitoring system.'],
)}`,
};

export const FOOTER = `Files:
  $XDG_CONFIG_HOME/mesh-agent/config.toml, or /etc/mesh-agent/config.toml
                   the configuration; --config names another
  identity.key     beside it: the node's private key, mode 0600
  $XDG_STATE_HOME/mesh-agent
                   what the agent remembers, and its lock
  $XDG_RUNTIME_DIR/mesh-agent/agent.sock
                   where the running agent answers "status"

Environment:
  MESH_AGENT_SECRET     the network's secret, instead of service.secret_file
  NO_COLOR              no colours
  NODE_EXTRA_CA_CERTS   certificates of an authority of your own

Exit codes:
  0  done                              4  the service cannot be reached
  1  it did not work, or a check failed   5  the service refused
  2  wrong option or argument          6  no agent runs, or one runs already
  3  configuration, secret or key missing or wrong
`;
