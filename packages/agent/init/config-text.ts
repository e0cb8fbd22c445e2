import type { Answers } from './options.ts';

/** A text of TOML. JSON writes the same, but for one character. */
export const toml = (text: string): string => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

/** The configuration file. @param secretFile to name in it; null: none */
export function configText(answers: Answers, secretFile: string | null): string {
  const { url, nodeId, label, class: size, region, place, insecureHttp } = answers;
  const line = (key: string, value: string | null) =>
    value === null ? [] : [`${key} = ${toml(value)}`];
  return [
    '# The agent reads this file when it starts, and again on SIGHUP. "mesh-agent config check" checks it.',
    '',
    '[service]',
    ...line('url', url),
    ...line('secret_file', secretFile),
    ...(insecureHttp
      ? ['# Sends the secret to a service without TLS.', 'insecure_http = true']
      : []),
    '',
    '[node]',
    ...line('id', nodeId),
    ...line('label', label),
    ...line('class', size),
    ...line('region', region),
    '',
    ...(place
      ? [
          '# On the map. Without this section no heartbeat is sent.',
          '[map]',
          `lat = ${place.lat}`,
          `lng = ${place.lng}`,
        ]
      : [
          '# Not on the map. To be on it, add where the node is:',
          '# [map]',
          '# lat = 0.0',
          '# lng = 0.0',
        ]),
    '',
    '# Compute offers: one [[compute]] for each. "mesh-agent detect" suggests some.',
    '# [[compute]]',
    '# name = "garage"        # a registered name: mesh-agent register garage --kinds node,compute',
    '# replicas = 4',
    '# free_slots = 4         # or { file = "/path" }, or { command = ["program", "argument"] }',
    '',
    '# Part of the network between nodes, with "mesh-agent peer". README.md has all settings.',
    '# [peer]',
    '# trust = "network.json"  # the signed root of the network, from someone you trust',
    '# genesis = ["/dns4/genesis.example.org/tcp/9900/p2p/12D3KooW…"]',
    '',
  ].join('\n');
}
