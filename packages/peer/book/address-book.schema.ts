import { z } from 'zod';
import { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { PeerId, Time } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { ANCHORS_MAX } from './anchors.ts';

/** Peers in the book that were reached, at most: half of it. */
export const TRIED_MAX = 1000;

/** What is kept on disk: the peers that were reached. */
export const BookState = z.strictObject({
  anchors: z.array(PeerId).max(ANCHORS_MAX),
  peers: z
    .array(
      z.strictObject({
        record: DsseEnvelope,
        reachedAt: Time,
        /** The group of the address that worked; null: unknown. */
        reachedGroup: z.string().max(128).nullable(),
        /** The group of the address to which a name in the record led; null: unknown. */
        network: z.string().max(128).nullable().default(null),
      }),
    )
    .max(TRIED_MAX),
});
export type BookState = z.infer<typeof BookState>;
