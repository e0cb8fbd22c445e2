import { z } from 'zod';
import type { Config } from '#server/config.ts';
import { Ping, type PingDescription } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
  PING_BODY_BYTES,
} from '@mesh-registry/protocol/values.schema.ts';

/** The machine-readable description in GET /api/mesh/ping, generated from the schema that the POST parses with. */
export function describePing(config: Config): PingDescription {
  // A copy without the id of Ping, which would turn the schema into a reference.
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(Ping.shape), { io: 'input' });
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    { required: required.has(name), ...(typeof property === 'object' ? property : {}) },
  ]);
  return {
    ok: true,
    endpoint: 'POST /api/mesh/ping',
    auth: {
      header: 'Authorization',
      scheme: 'Bearer',
      required: config.production,
    },
    maxBodyBytes: PING_BODY_BYTES,
    fields: Object.fromEntries(fields) as PingDescription['fields'],
    filters: [
      'Keys other than these fields are dropped, and listed in "dropped".',
      'Nested values (objects and arrays) are dropped.',
      `Coordinates are rounded to a grid of ${config.coordinateGrid} degrees before they are stored.`,
      'Markup, script patterns, and control and bidirectional characters are removed from the label.',
      'A label that looks like an IP address or hostname is dropped.',
      'IP addresses and hostnames are not accepted, stored or published.',
    ],
    schema,
    nextPingMs: NEXT_PING_MS,
    offlineAfterMs: OFFLINE_AFTER_MS,
  };
}
