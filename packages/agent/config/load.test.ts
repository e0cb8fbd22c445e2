import { describe, expect, it } from 'vitest';
import { CommandError, EXIT } from '../base/exit.ts';
import { parseConfig } from './load.ts';

const GOOD = `# A comment
[service]
url = "https://mesh.example.org/"
secret_file = "secret"

[node]
id = "node_a"
label = "garage"

[map]
lat = 37.5
lng = -122.5

[[compute]]
name = "fixed"
replicas = 4
free_slots = 2

[[compute]]
name = "read"
replicas = 1
free_slots = { file = "slots" }
image = "ghcr.io/acme/llama:3.1"
visibility = "public"
`;

const problemOf = (text: string): string => {
  try {
    parseConfig(text, '/etc/mesh-agent/config.toml');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    expect(error.exitCode).toBe(EXIT.configuration);
    return error.message;
  }
  throw new Error('It was accepted.');
};

describe('a configuration', () => {
  it('is read whole; its paths start from its folder', () => {
    expect(parseConfig(GOOD, '/etc/mesh-agent/config.toml')).toEqual({
      file: '/etc/mesh-agent/config.toml',
      service: {
        url: 'https://mesh.example.org',
        secretFile: '/etc/mesh-agent/secret',
        insecureHttp: false,
      },
      node: { id: 'node_a', label: 'garage', keyFile: '/etc/mesh-agent/identity.key' },
      map: { lat: 37.5, lng: -122.5 },
      compute: [
        { name: 'fixed', replicas: 4, free_slots: 2 },
        {
          name: 'read',
          replicas: 1,
          free_slots: { file: '/etc/mesh-agent/slots' },
          image: 'ghcr.io/acme/llama:3.1',
          visibility: 'public',
        },
      ],
    });
  });

  it('without [map] asks for no heartbeat', () => {
    const text = GOOD.replace(/\[map\][^[]*/, '');
    expect(parseConfig(text, '/c.toml').map).toBeUndefined();
  });

  it.each([
    ['lat = 37.5', 'lat = 137.5', '11: map.lat must be from -90 to 90.'],
    ['lat = 37.5', 'lat = "37.5"', '11: map.lat must be a number, not a string.'],
    ['lat = 37.5', 'latt = 37.5', '11: map.latt is not known. Known here: lat, lng, status.'],
    ['lat = 37.5\n', '', '10: map.lat is required.'],
    ['[map]', '[mapp]', '10: mapp is not known. Known here: service, node, map, peer, compute.'],
    ['id = "node_a"', 'id = "Genesis"', '7: node.id must not be "genesis"'],
    ['id = "node_a"', 'id = "a b"', '7: node.id must be 2 to 64 characters'],
    ['"https://mesh.example.org/"', '"mesh.example.org"', '3: service.url must be a URL such as'],
    ['https://', 'https://me:pw@', '3: service.url must not contain a user or password.'],
    [
      'secret_file = "secret"',
      'secret = "hunter2"',
      '4: service.secret does not belong into this file.',
    ],
    ['name = "read"', 'name = "fixed"', '20: compute[1].name is used twice: fixed.'],
    ['free_slots = 2', 'free_slots = -2', '17: compute[0].free_slots must be from 0 to 1000000'],
    ['{ file = "slots" }', '{ shell = "x" }', '22: compute[1].free_slots must be a whole number'],
    ['{ file = "slots" }', '{\n', '25: this is not TOML'],
    ['replicas = 1', 'replicas = 1.5', '21: compute[1].replicas must be a whole number.'],
    ['label = "garage"', 'label = ', '8: this is not TOML'],
  ])('that has %j as %j is refused by file and line', (good, bad, message) => {
    const problem = problemOf(GOOD.replace(good, bad));
    expect(problem).toContain(`/etc/mesh-agent/config.toml:${message}`);
    expect(problem).not.toContain('hunter2');
  });

  it('with several problems tells all of them, in the order of their lines', () => {
    const text = GOOD.replace('37.5', '137.5').replace('-122.5', '-222.5').replace('node_a', '!');
    expect(
      problemOf(text)
        .split('\n')
        .map((line) => line.split(':')[1]),
    ).toEqual(['7', '11', '12']);
  });

  it('tells the line where a value over several lines begins', () => {
    const text = GOOD.replace('free_slots = 2', 'free_slots = { command = [\n  # none\n  1,\n] }');
    expect(problemOf(text)).toContain(':17: compute[0].free_slots');
  });

  it('that is empty names what is missing', () => {
    expect(problemOf('')).toMatch(
      /config\.toml:1: service is required\.\n.*:1: node is required\./,
    );
  });
});

describe('the section [peer]', () => {
  const PEER = `${GOOD}
[peer]
trust = "network.json"
genesis = ["/dns4/genesis.example.org/tcp/9900/p2p/12D3KooWGxKjsoa6qUvUQmkkosHyCTw7d7LEb8dCdj63EbHt19j1"]
`;

  it('has its defaults, and its paths start from the folder of the file', () => {
    const { peer } = parseConfig(PEER, '/etc/mesh-agent/config.toml');
    expect(peer).toMatchObject({
      trust: '/etc/mesh-agent/network.json',
      listen: ['/ip4/0.0.0.0/tcp/9900'],
      outbound: 8,
      max_peers: 128,
      private_addresses: false,
    });
  });

  it.each([
    ['trust = "network.json"', '', '26: peer.trust is required.'],
    [
      '/p2p/12D3KooWGxKjsoa6qUvUQmkkosHyCTw7d7LEb8dCdj63EbHt19j1',
      '',
      '28: peer.genesis[0] must end in /p2p/',
    ],
    ['/tcp/9900', '/udp/9900', '28: peer.genesis[0] must be an address such as'],
    [
      'trust =',
      'listen = ["9900"]\ntrust =',
      '27: peer.listen[0] must be an address of this machine',
    ],
    ['trust =', 'health = "9901"\ntrust =', '27: peer.health must be HOST:PORT'],
    ['trust =', 'max_peers = 0\ntrust =', '27: peer.max_peers must be at least 1.'],
    [
      'trust =',
      'max_upload_rate = 1000\ntrust =',
      '27: peer.max_upload_rate must be at least 262144.',
    ],
    [
      'trust =',
      'max_peers = 8\ntrust =',
      '27: peer.max_peers must be more than peer.outbound: the difference is for incoming connections.',
    ],
    ['trust =', 'lat = 37.5\ntrust =', '27: peer.lat is not known.'],
  ])('that has %j as %j is refused by file and line', (before, after, problem) => {
    expect(problemOf(PEER.replace(before, after))).toContain(`config.toml:${problem}`);
  });
});
