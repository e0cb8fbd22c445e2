/** What `--help` adds to commander's own lists. */

const examples = (...lines: [command: string, does: string][]) =>
  `Examples:\n${lines.map(([command, does]) => `  ${does}\n    $ mesh-agent ${command}`).join('\n')}\n`;

/** Below the options of each command. */
export const EXAMPLES = {
  init: `Writes the configuration, and a key that identifies the node. In a terminal it asks for what is not given
as an option. Coordinates are yours to choose: nothing is derived from an address, and only what they are
rounded to is written. Without --config, root writes /etc/mesh-agent/config.toml.

${examples(
  ['init', 'Ask for everything.'],
  [
    'init --service https://mesh.example.org --lat 37.7 --lng -122.4 --secret-file /etc/mesh-agent/secret',
    'In a script.',
  ],
  [
    'init --service https://mesh.example.org --no-map --secret-stdin < secret',
    'Not on the map; the secret from the standard input.',
  ],
)}`,
  run: `Without a section [map] in the configuration no heartbeat is sent, and without [[compute]] no
announcement. The agent never ends because the service is away. SIGHUP reads the configuration
again, SIGTERM ends it. The secret and the key are read for each request.

${examples(
  ['run', 'Stay on the map until Ctrl-C.'],
  ['run --dry-run', 'See the exact requests, with the secret masked.'],
  ['run --once', 'From a timer of your own.'],
  ['run --json', 'One JSON object a line: time, level, event, message.'],
)}`,
  register: `Starts a registration for the configured node, signed by its key: reviewers see that it is proved. Prints the
payment link and note, and in a terminal a QR code. Without --kinds the name stands for a compute if
the configuration has an offer of that name, else for the node.

${examples(
  ['register garage --kinds node,compute', 'One name for the node and an offer.'],
  ['register --paid reg_4k7XQ2m9VbT0cRfJ8wYhLd --text "#D-7Q2M41"', 'After the payment.'],
  ['register --list', 'Find registrations again whose links are lost.'],
  ['register --cancel reg_4k7XQ2m9VbT0cRfJ8wYhLd', 'End one, or release its name.'],
)}`,
  claim: `For a registration that was started in the browser: its page shows this command with its link.

${examples(['claim https://mesh.example.org/register/reg_4k7XQ2m9VbT0cRfJ8wYhLd', 'Prove that the node is yours.'])}`,
  status: `Ends with 0 if everything that is configured works, 1 if something does not, 6 if no agent runs.

${examples(
  ['status', 'What the agent did last.'],
  ['status --json | jq .heartbeats.fault', 'For a monitoring system.'],
)}`,
  doctor: `Each line is OK, WARN or FAIL, with what to do. Nothing is stored by the service.
Ends with 0 if nothing failed, else with 1.

${examples(['doctor', 'Check everything.'], ['doctor --json', 'For a machine.'])}`,
  detect: `Looks at processors, memory, and whether docker, podman, ollama and nvidia-smi are in the PATH. Starts
nothing and sends nothing.

${examples(['detect', 'What to paste into a configuration.'])}`,
  configCheck: `Also reads the key and the secret.

${examples(['config check', 'Before a reload: systemctl reload mesh-agent.'])}`,
  configShow: examples(['config show', 'What is in force, with the secret masked.']),
  serviceSystemd: `The unit has a user of its own, which can read nothing but the program and its credentials.

${examples([
  'service systemd | sudo tee /etc/systemd/system/mesh-agent.service',
  'Then: sudo systemctl daemon-reload && sudo systemctl enable --now mesh-agent',
])}`,
  serviceContainer: examples([
    'service container',
    'A Containerfile and a piece for compose, for Docker and Podman.',
  ]),
  identityShow: examples(['identity show', 'The public key, and whether the service knows it.']),
  identityRotate: `The old key signs the request, the new one proves itself. The service takes it first, then it replaces the
file; the old key stays beside it as identity.key.previous. Interrupted, it goes on where it was when
called again.

${examples(['identity rotate', 'Every year, or when somebody may have seen the key.'])}`,
} as const satisfies Record<string, string>;

export type HelpName = keyof typeof EXAMPLES;

export const FOOTER = `Examples:
  On the map in three lines:
    $ mesh-agent init
    $ mesh-agent doctor
    $ mesh-agent run

Files:
  $XDG_CONFIG_HOME/mesh-agent/config.toml, or /etc/mesh-agent/config.toml
      the configuration; --config names another
  identity.key beside it
      the node's private key, mode 0600: back it up
  $XDG_STATE_HOME/mesh-agent
      what the agent remembers, and its lock; --state names another
  $XDG_RUNTIME_DIR/mesh-agent/agent.sock
      where the running agent answers "status"

Environment:
  MESH_AGENT_SECRET      the network's secret, instead of service.secret_file
  NO_COLOR               no colours
  NODE_EXTRA_CA_CERTS    certificates of an authority of your own

Exit codes:
  0    done
  1    it did not work, or a check failed
  2    an option or argument is missing or wrong
  3    the configuration, the secret or the key is missing or wrong
  4    the service cannot be reached
  5    the service refused
  6    status: no agent runs; run: one runs already
  130  interrupted at a question
`;
