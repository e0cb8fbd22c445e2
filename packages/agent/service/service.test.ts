import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { containerFiles } from './container.ts';
import { systemdUnit } from './systemd.ts';

const config = (folder = '/etc/mesh-agent') =>
  parseConfig(
    '[service]\nurl = "https://mesh.example.org"\nsecret_file = "secret"\n[node]\nid = "node_a"\n',
    `${folder}/config.toml`,
  );
const unit = (more: Partial<Parameters<typeof systemdUnit>[0]> = {}) =>
  systemdUnit({
    node: '/usr/bin/node',
    script: '/usr/local/lib/node_modules/mesh-agent/mesh-agent.mjs',
    config: config(),
    process: 'run',
    ...more,
  });

describe('the unit', () => {
  it('has absolute paths, and gets key and secret as credentials', () => {
    const lines = unit().split('\n');
    expect(lines).toContain(
      'ExecStart=/usr/bin/node /usr/local/lib/node_modules/mesh-agent/mesh-agent.mjs run --config /etc/mesh-agent/config.toml',
    );
    expect(lines).toContain('LoadCredential=identity.key:/etc/mesh-agent/identity.key');
    expect(lines).toContain('LoadCredential=secret:/etc/mesh-agent/secret');
    for (const line of [
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'Restart=always',
    ])
      expect(lines).toContain(line);
    expect(unit()).not.toContain('WARNING');
  });

  it('of the peer process gets the key alone, and directories of its own', () => {
    const lines = unit({ process: 'peer' }).split('\n');
    expect(lines).toContain(
      'ExecStart=/usr/bin/node /usr/local/lib/node_modules/mesh-agent/mesh-agent.mjs peer --config /etc/mesh-agent/config.toml',
    );
    expect(lines.filter((line) => line.startsWith('LoadCredential='))).toEqual([
      'LoadCredential=identity.key:/etc/mesh-agent/identity.key',
    ]);
    expect(lines).toContain('StateDirectory=mesh-peer');
    expect(lines).toContain('RuntimeDirectory=mesh-peer');
    expect(lines).toContain('Environment=NODE_OPTIONS=--max-semi-space-size=2');
    expect(unit()).not.toContain('Environment=');
    // Without it Node cannot tell the addresses of the machine, and a peer that listens at all of them does not start.
    expect(lines).toContain('RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK');
  });

  it('keeps paths whole that have spaces, or characters of systemd', () => {
    expect(unit({ config: config('/srv/my 100% $HOME') })).toContain(
      'run --config "/srv/my 100%% $$HOME/config.toml"\n',
    );
  });

  it.each([
    ['/home/ada/.npm/_npx/1/node_modules/mesh-agent/mesh-agent.mjs', "npx's cache"],
    ['/home/ada/mesh-agent.mjs', 'is in a home directory'],
  ])('warns of %s', (script, warning) => {
    const text = unit({ script });
    expect(text).toContain(`# WARNING: ${script} is in`);
    expect(text).toContain(warning);
    expect(text).toContain('ProtectHome=read-only');
  });
});

it('The files for containers name the package, mount the configuration, and write only to the state', () => {
  const text = containerFiles(config('/srv/mesh'), '1.2.3');
  expect(text).toContain('COPY mesh-agent-1.2.3.tgz /tmp/');
  expect(text).toContain('- "/srv/mesh:/config:ro"');
  expect(text).toContain('read_only: true');
  expect(text).toContain('"--state", "/state"');
});
