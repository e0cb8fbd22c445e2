import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { randomNodeId } from './options.ts';
import { configText, toml } from './config-text.ts';

it('What is written is read as it was answered', () => {
  const answers = {
    url: 'https://mesh.example.org',
    nodeId: randomNodeId(),
    label: 'Ada\'s "garage" \\ #1',
    class: 'M',
    region: 'EU',
    place: { lat: 48, lng: -122.5 },
    secret: { kind: 'none' },
    insecureHttp: false,
  } as const;
  const { node, map, service } = parseConfig(configText(answers, 'secret'), '/c/config.toml');
  expect(service).toEqual({ url: answers.url, secretFile: '/c/secret', insecureHttp: false });
  const told = configText({ ...answers, insecureHttp: true }, 'secret');
  expect(parseConfig(told, '/c.toml').service.insecureHttp).toBe(true);
  expect(node).toMatchObject({
    id: answers.nodeId,
    label: answers.label,
    class: 'M',
    region: 'EU',
  });
  expect(map).toEqual(answers.place);
  const hidden = parseConfig(configText({ ...answers, label: null, place: null }, null), '/c.toml');
  expect(hidden.map).toBeUndefined();
  expect(hidden.service.secretFile).toBeNull();
  expect(hidden.node.label).toBeUndefined();
});

it('Any text survives TOML', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(parse(`text = ${toml(text)}`)).toEqual({ text });
    }),
  );
});
