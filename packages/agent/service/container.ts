import { dirname } from 'node:path';
import type { Config } from '../config/load.ts';
import { PEER_ENVIRONMENT } from './systemd.ts';

/** A Containerfile and a piece for compose, as one text with a heading for each file. */
export function containerFiles(config: Config, version: string): string {
  const folder = dirname(config.file);
  return `# ---- Containerfile: beside mesh-agent-${version}.tgz, the packed agent
# podman build -t mesh-agent .
# docker build -f Containerfile -t mesh-agent .

FROM docker.io/library/node:22-bookworm-slim
COPY mesh-agent-${version}.tgz /tmp/
RUN npm install --global --offline --no-audit --no-fund /tmp/mesh-agent-${version}.tgz \\
 && rm /tmp/mesh-agent-${version}.tgz \\
 && install -d -o node -g node -m 0700 /state
USER node
VOLUME /state
# Not npm or npx: signals have to reach the agent.
ENTRYPOINT ["mesh-agent"]
CMD ["run", "--config", "/config/config.toml", "--state", "/state"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \\
  CMD ["mesh-agent", "status", "--state", "/state"]

# ---- compose.yaml
# The files in ${folder} have to be readable by the user "node" (1000) and, the key and the
# secret, by nobody else:
#   chown 1000:1000 ${folder}/identity.key ${folder}/secret && chmod 600 ${folder}/identity.key ${folder}/secret

services:
  mesh-agent:
    build: .
    restart: unless-stopped
    init: true
    read_only: true
    cap_drop: [ALL]
    security_opt: [no-new-privileges:true]
    mem_limit: 256m
    volumes:
      - ${JSON.stringify(`${folder}:/config:ro`)}
      - state:/state
${config.peer ? peerService(config.peer.listen, folder) : ''}
volumes:
  state:
${config.peer ? '  peer-state:\n' : ''}`;
}

/** The peer process is a container of its own: the map's agent goes on if it ends. */
function peerService(listen: readonly string[], folder: string): string {
  const ports = listen.flatMap((address) => /\/tcp\/(\d+)$/.exec(address)?.[1] ?? []);
  return `
  # A container has private addresses only: tell others this machine's by peer.announce.
  mesh-peer:
    build: .
    command: ["peer", "--config", "/config/config.toml", "--state", "/state"]
    # It takes some 30 MB less with these.
    environment: ${JSON.stringify(PEER_ENVIRONMENT)}
    restart: unless-stopped
    init: true
    read_only: true
    cap_drop: [ALL]
    security_opt: [no-new-privileges:true]
    mem_limit: 512m
    healthcheck:
      disable: true
    ports: [${[...new Set(ports)].map((port) => `"${port}:${port}"`).join(', ')}]
    volumes:
      - ${JSON.stringify(`${folder}:/config:ro`)}
      - peer-state:/state
`;
}
