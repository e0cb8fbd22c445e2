/** What `--help` adds to commander's own lists. */

const examples = (...lines: [command: string, does: string][]) =>
  `Examples:\n${lines.map(([command, does]) => `  ${does}\n    $ mesh-agent ${command}`).join('\n')}\n`;

/** Below the options of each command, by the words that lead to it. */
export const DETAILS = {
  init: `Writes the configuration, and a key that identifies the node. In a terminal it asks for whatever you don't
pass as an option. You choose the coordinates: nothing is derived from an IP address, and only the
rounded values are stored. Without --config, root writes /etc/mesh-agent/config.toml.

${examples(
  ['init', 'Ask for everything.'],
  [
    'init --service https://mesh.example.org --lat 37.7 --lng -122.4 --secret-file /etc/mesh-agent/secret',
    'In a script.',
  ],
  [
    'init --service https://mesh.example.org --no-map --secret-stdin < secret',
    'Not on the map; secret from standard input.',
  ],
)}`,
  run: `Without a section [map] in the configuration no heartbeat is sent, and without [[compute]] no
announcement. The agent keeps running while the service is unavailable. SIGHUP reads the configuration
again, SIGTERM ends it. The secret and the key are read for each request. Without TLS the secret goes
to this machine only, unless --insecure-http or the configuration says otherwise.

${examples(
  ['run', 'Stay on the map until Ctrl-C.'],
  ['run --dry-run', 'See the exact requests, with the secret masked.'],
  ['run --once', 'From a timer of your own.'],
  ['run --json', 'One JSON object a line: time, level, event, message.'],
)}`,
  peer: `Connects to other nodes: measures how far they are, passes on who is there, what the network's keys have
signed, and its public log. It needs the section [peer] in the configuration. It is a process of its own
beside "run": the map learns nothing of it, and other nodes learn no place.

${examples(
  ['peer', 'Take part until Ctrl-C.'],
  ['peer --watch', 'List the other peers with their latency.'],
  ['peer --no-genesis --health 127.0.0.1:9901', 'On the Genesis host.'],
)}`,
  register: `Starts a registration for the configured node, signed by its key: reviewers see that it is proved. Prints the
payment link and note, and in a terminal a QR code. Without --kinds the name is that of a compute
offer if the configuration has one of that name, else of the node.

${examples(
  ['register garage --kinds node,compute', 'One name for the node and an offer.'],
  ['register --paid reg_4k7XQ2m9VbT0cRfJ8wYhLd --text "#D-7Q2M41"', 'After the payment.'],
  ['register --list', 'Find registrations again whose links are lost.'],
  ['register --cancel reg_4k7XQ2m9VbT0cRfJ8wYhLd', 'End one, or release its name.'],
)}`,
  claim: `For a registration that was started in the browser: its page shows this command with its link.

${examples(['claim https://mesh.example.org/register/reg_4k7XQ2m9VbT0cRfJ8wYhLd', 'Prove that the node is yours.'])}`,
  status: `Shows the agent, and the peer process with the peers that are connected, nearest first. Exits with 0 if
everything that is configured works, 1 if something does not, 6 if it does not run.

${examples(
  ['status', 'What the agent did last, and which peers are connected.'],
  ['status --json | jq .heartbeats.fault', 'For a monitoring system.'],
)}`,
  doctor: `Each line is OK, WARN or FAIL, with what to do. Nothing is stored by the service.
Exits with 0 if nothing failed, otherwise with 1.

${examples(['doctor', 'Check everything.'], ['doctor --json', 'For a machine.'])}`,
  detect: `Looks at processors, memory, and whether docker, podman, ollama and nvidia-smi are in the PATH. Starts
nothing and sends nothing.

${examples(['detect', 'What to paste into a configuration.'])}`,
  'config check': `Also reads the key and the secret.

${examples(['config check', 'Before a reload: systemctl reload mesh-agent.'])}`,
  'config show': examples(['config show', 'The current settings, with the secret masked.']),
  'service systemd': `The unit has a user of its own, which can read nothing but the program and its credentials.

${examples([
  'service systemd | sudo tee /etc/systemd/system/mesh-agent.service',
  'Then: sudo systemctl daemon-reload && sudo systemctl enable --now mesh-agent',
])}`,
  'service container': examples([
    'service container',
    'A Containerfile and a piece for compose, for Docker and Podman.',
  ]),
  'identity show': examples(['identity show', 'The public key, and whether the service knows it.']),
  'identity rotate': `The old key signs the request, the new one proves itself. The service takes it first, then it replaces the
file; the old key stays beside it as identity.key.previous. Interrupted, it goes on where it was when
called again. If a reviewer has revoked the key, the new one takes its place here only: prove your
registrations with it, by "claim" and the new links that the reviewers have.

${examples(['identity rotate', 'Every year, or when somebody may have seen the key.'])}`,
  'truth key': `The file has mode 0600; one that is there already stays. Only the public key goes to the standard output.
Uses no network: run it on the holder's own machine.

${examples(['truth key ada.pem', "Ada's key, one of the keys of the root."])}`,
  'truth draft root': `A root says whose signatures count: for the next root, for the truth, and for the blocks of the log.
The next root has what the present one has, with what is given here; giving one key of a role gives all
its keys anew.

${examples(
  [
    'truth draft root --network mesh.example.org --root-key KEY --root-key KEY --truth-key KEY --block-key KEY --out root.json',
    'The first root of a network.',
  ],
  [
    'truth draft root --trust truth.json --root-key KEY --root-key KEY --out root-2.json',
    'Replace the keys of the root.',
  ],
)}`,
  'truth draft truth': `A truth says who is banned, and which block the log must contain. The next truth has what the present one
has, with what is given here. Bans that have ended are left out.

${examples(
  ['truth draft truth --trust root.json --out truth-1.json', 'The first truth.'],
  [
    'truth draft truth --trust truth.json --ban 12D3Koo… --reason "floods its peers" --out truth-2.json',
    'Ban a peer.',
  ],
  [
    'truth draft truth --trust truth.json --bans bans.json --out truth-2.json',
    'Ban the nodes that reviewers have blocked.',
  ],
  [
    'truth draft truth --trust truth.json --checkpoint /var/lib/mesh-registry-log --out truth-2.json',
    'Name the last block of the log, once all of it has been checked.',
  ],
)}`,
  'truth sign': `Shows what is signed and what changes, adds the signature in place, and says whose are missing. Refuses what
peers would reject. The first root needs no --trust.

${examples(
  ['truth sign root.json --key ada.pem', 'The first root.'],
  ['truth sign truth-2.json --key bob.pem --trust truth.json', 'The next truth.'],
)}`,
  'truth publish': `Adds roots and a truth that have all their signatures, if every peer that accepts the file will accept
them. The file is replaced whole, so a running service or Genesis can have it.

${examples(
  ['truth publish root.json truth-1.json --to truth.json', 'For the first time.'],
  ['truth publish truth-2.json --to truth.json', 'The next truth.'],
)}`,
  'truth verify': `Each line is OK, WARN or FAIL. Exits with 0 if peers accept the file, otherwise with 1.

${examples(['truth verify truth.json --trust root.json', 'From the root that you trust.'])}`,
  'truth show': `Without a file: what the peer process on this machine uses.

${examples(
  ['truth show', 'What this peer uses.'],
  ['truth show --service https://mesh.example.org', 'What a service publishes.'],
)}`,
  'log verify': `Checks that each block follows the one before, has its own body and the signatures of the network's block
keys, and that the log contains the block that the truth names. Each line is OK, WARN or FAIL; exits with 0 if
the log is valid, otherwise with 1. Without --trust it starts from what the peer process trusts.

${examples(
  ['log verify', 'The log that the peer process keeps.'],
  ['log verify /var/lib/mesh-registry-log --trust truth.json', 'The log of a registry.'],
)}`,
  'log show': `Names that became active or were revoked or released, and nodes that were blocked and unblocked.

${examples(
  ['log show --name garage', 'Everything that happened to a name.'],
  ['log show --node node_macmini', 'Everything that happened to a node.'],
  ['log show 12', 'A block.'],
)}`,
  'log tail': `The time is when it happened; the block may be a minute younger.

${examples(
  ['log tail', 'The last ten events.'],
  ['log tail -f --json', 'New events, one JSON object a line.'],
)}`,
} as const satisfies Record<string, string>;

export type CommandPath = keyof typeof DETAILS;

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
  $XDG_RUNTIME_DIR/mesh-agent/agent.sock, peer.sock
      where the running agent and peer process answer "status"

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
  6    status: it does not run; run, peer: it runs already
  130  interrupted at a question
`;
