import type { NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import { curl, type Target } from './curl.ts';

/** The commands and programs of the documentation. Tests run them as the pages show them. */

const PING = {
  nodeId: 'my_node',
  lat: 37.7,
  lng: -122.4,
  label: 'attic',
  class: 'M',
  region: 'NA',
};

export const firstPing = (target: Target) =>
  curl(target, '/api/mesh/ping', { body: PING, credential: true });

/** What the operator's agent asks, and stores. */
export const agentInit = ({ origin }: Pick<Target, 'origin'>) =>
  `mesh-agent init --service ${origin}`;

/** The operator's agent, from nothing to the map. */
export const agentOnTheMap = (target: Target) => `${agentInit(target)}
mesh-agent doctor
mesh-agent run`;

/** What a terminal then shows. A test compares its last line with what the agent prints. */
export const agentSession = (target: Pick<Target, 'origin'>) => `$ ${agentInit(target)}
Configuration  ~/.config/mesh-agent/config.toml
Key            ~/.config/mesh-agent/identity.key (new): back it up, it is the node's identity
Node           my_node, on the map at 37.5, -122.5 (rounded)
$ mesh-agent run
${onTheMap('my_node')}`;

export const onTheMap = (nodeId: string) =>
  `New on the map as "${nodeId}" at 37.5, -122.5 (online). A heartbeat follows every 20 s.`;

export const AGENT_UNDER_SYSTEMD = `mesh-agent service systemd | sudo tee /etc/systemd/system/mesh-agent.service
sudo systemctl daemon-reload
sudo systemctl enable --now mesh-agent`;

export const AGENT_IN_CONTAINER = `mesh-agent service container`;

/** A part of the agent's configuration. */
export const AGENT_OFFER = `[[compute]]
name = "attic"
replicas = 4
free_slots = 2   # or { file = "/run/queue/free" }, read before each announcement
image = "ghcr.io/acme/llama:3.1"
class = "M"
visibility = "public"`;

/** A part of the agent's configuration; the address is made up. */
export const AGENT_PEER = `[peer]
trust = "root.json"   # the network's signed root
genesis = ["/dns4/genesis.example.org/tcp/9900/p2p/12D3KooWGxKjsoa6qUvUQmkkosHyCTw7d7LEb8dCdj63EbHt19j1"]`;

export const AGENT_REGISTERS = `mesh-agent register attic --kinds node,compute`;

/** The announcement of one compute offer, with a placeholder image and numbers. */
export const announceOf = (
  target: Target,
  { nodeId, name, label, size }: { nodeId: string; name: string; label: string; size: NodeClass },
): string =>
  curl(target, '/api/registry/computes', {
    credential: true,
    body: {
      nodeId,
      label,
      computes: [
        {
          name,
          image: 'ghcr.io/acme/llama:3.1',
          visibility: 'public',
          class: size,
          backend: 'docker',
          replicas: 4,
          freeSlots: 2,
        },
      ],
    },
  });

export const announce = (target: Target) =>
  announceOf(target, { nodeId: 'my_node', name: 'attic', label: 'attic', size: 'M' });

export const nameFree = (target: Target) => curl(target, '/api/registry/register?name=attic');

/** Keeps the response, whose ID the next commands need. */
export const startName = (target: Target) => `KEY=$(openssl rand -hex 16)
${curl(target, '/api/registry/register', {
  headers: ['idempotency-key: $KEY'],
  body: {
    action: 'start',
    name: 'attic',
    nodeId: 'my_node',
    kinds: ['node', 'compute'],
  },
})} | tee registration.json`;

export const confirmName = ({
  origin,
}: Target) => `ID=$(grep -o 'reg_[A-Za-z0-9_-]*' registration.json | head -n 1)
curl -s -X POST ${origin}/api/registry/register \\
  -H 'content-type: application/json' \\
  -d '{"action":"confirm","id":"'$ID'","cashConfirm":"#D-7Q2M41"}'`;

export const followName = ({ origin }: Target) =>
  `curl -s "${origin}/api/registry/register?id=$ID"`;

export const pollSh = ({ origin }: Target) => `# -i shows the headers, among them the ETag.
ETAG=$(curl -s -i ${origin}/api/mesh |
  grep -i '^etag:' | cut -d ' ' -f 2- | tr -d '\\r')

# Nothing has changed since then: 304 without a body.
curl -s -i -H "if-none-match: $ETAG" ${origin}/api/mesh | head -n 1`;

export const pollNode = ({ origin }: Target) => `// poll.mjs: Node 18 or later, no packages
let etag;
let mesh;
for (;;) {
  let wait = 10_000;
  try {
    const response = await fetch('${origin}/api/mesh', {
      headers: etag ? { 'if-none-match': etag } : {},
      signal: AbortSignal.timeout(20_000),
    });
    if (response.status === 200) {
      etag = response.headers.get('etag');
      mesh = await response.json();
      // The age of the data by the server's clock, in milliseconds.
      const age = Date.parse(response.headers.get('date')) - Date.parse(mesh.updatedAt);
      const note = age > 1500 ? \` (as of \${mesh.updatedAt})\` : '';
      console.log(\`\${mesh.stats.online} of \${mesh.stats.peers} online\${note}\`);
    } else if (response.status !== 304) {
      console.error(response.status);
      wait = Number(response.headers.get('retry-after') ?? 30) * 1000;
    }
  } catch (error) {
    console.error('no response:', error.message);
  }
  await new Promise((resolve) => setTimeout(resolve, wait));
}`;

export const streamSh = ({ origin }: Target) =>
  `curl -s -N -m 3 ${origin}/api/trpc/mesh.changes | head -n 6`;

export const streamBrowser = ({ origin }: Target) => `const peers = new Map();
let lastEventId = '';

function open() {
  const input = encodeURIComponent(JSON.stringify({ lastEventId }));
  const stream = new EventSource(\`${origin}/api/trpc/mesh.changes?input=\${input}\`);

  stream.onmessage = (event) => {
    lastEventId = event.lastEventId;
    const { type, head, rows, removed } = JSON.parse(event.data);
    if (type === 'snapshot') peers.clear();
    for (const peer of rows) peers.set(peer.id, peer);
    for (const id of removed) peers.delete(id);
    document.title = \`\${head.stats.online} of \${peers.size} online\`;
  };

  stream.onerror = () => {
    // A lost connection is reopened automatically. A rejected one, by a proxy’s 502 for example, isn't.
    if (stream.readyState === EventSource.CLOSED) setTimeout(open, 5000);
  };
}
open();`;

/** What an embedded map needs: its scripts, and to open the full map in a new tab. */
export const FRAME_PERMISSIONS = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';

/** @param path of the embedded map, with its options  @param height px */
export const embedSnippet = (origin: string, path: string, height: number): string => `<iframe
  src="${origin}${path.replaceAll('&', '&amp;')}"
  title="Live map of the mesh"
  width="100%"
  height="${height}"
  loading="lazy"
  sandbox="${FRAME_PERMISSIONS}"
  style="border: 0"
></iframe>`;

/** A badge for a README or a web page. */
export const badgeHtml = (origin: string) => `<a href="${origin}/registry/NAME">
  <img src="${origin}/registry/NAME/badge.svg" alt="NAME" height="20">
</a>`;

/** The typed API from somebody else’s program. */
export const trpcClient = (
  origin: string,
) => `import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { PublicRouter } from 'mesh-registry-client/trpc';

const links = [httpBatchLink({ url: '${origin}/api/trpc', maxItems: 10 })];
const api = createTRPCClient<PublicRouter>({ links });
const [mesh, names] = await Promise.all([api.mesh.get.query(), api.registry.list.query()]);
console.log(\`\${mesh.stats.online} of \${mesh.stats.peers} online, \${names.count} names\`);`;
