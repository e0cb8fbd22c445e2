import { z } from 'zod';
import { Latitude, Longitude } from './mesh.schema.ts';
import { Region, Timestamp } from './fields.schema.ts';

/** The wire format of GET /api/mesh/history/places. */

const PLACE_HISTORY_DAYS = ['1', '90'] as const;
export type PlaceHistoryDays = 1 | 90;

export const PlaceHistoryQuery = z.object({
  days: z
    .enum(PLACE_HISTORY_DAYS, 'must be 1 or 90')
    .transform((days) => Number(days) as PlaceHistoryDays)
    .default(1)
    .meta({
      override: { type: 'string', enum: [...PLACE_HISTORY_DAYS], default: '1' },
      description:
        '1: the last 24 hours in steps of a quarter of an hour. 90: in steps of a UTC day.',
      example: '90',
    }),
  at: z.iso
    .datetime('must be the start of a step, such as 2026-07-17T12:00:00.000Z')
    .optional()
    .meta({
      description: 'The start of one step: where the nodes were. Without it, the list of steps.',
      example: '2026-07-17T12:00:00.000Z',
    }),
});

const Count = z.int().min(0);

export const PlaceStep = z
  .object({
    at: Timestamp.meta({ description: 'Its start.' }),
    nodes: Count.nullable().meta({
      description: 'Nodes that were heard of in it; null if it was not measured.',
      example: 9800,
    }),
    places: Count.nullable().meta({
      description: 'Places with such nodes; null if it was not measured.',
      example: 3120,
    }),
  })
  .meta({ id: 'PlaceStep' });
export type PlaceStep = z.infer<typeof PlaceStep>;

export const PlaceHistory = z
  .object({
    updatedAt: Timestamp.meta({ description: 'The moment that this response describes: `to`.' }),
    stepSeconds: z
      .literal([900, 86_400])
      .meta({ description: 'The length of a step.', example: 900 }),
    from: Timestamp.meta({
      description: 'The start of the first step: history may begin later than asked for.',
    }),
    to: Timestamp.meta({ description: 'The end of the last recorded quarter of an hour.' }),
    steps: z
      .array(PlaceStep)
      .meta({ description: 'Without gaps; the last day is the day so far.' }),
  })
  .meta({ id: 'PlaceHistory' });
export type PlaceHistory = z.infer<typeof PlaceHistory>;

/** Columns of the same length: the n-th elements belong together. */
const StepPlaces = z.object({
  lat: z.array(Latitude),
  lng: z.array(Longitude),
  region: z.array(Region),
  nodes: z.array(z.int().min(1)),
});
export type StepPlaces = z.infer<typeof StepPlaces>;

export const PlacesAtStep = z
  .object({
    at: Timestamp.meta({ description: 'The start of the step.' }),
    stepSeconds: z.literal([900, 86_400]).meta({ description: 'Its length.', example: 900 }),
    nodes: Count.meta({ description: 'Nodes that were heard of in it.', example: 3 }),
    places: StepPlaces.meta({
      description:
        'Where they were, in columns: the n-th elements of all four belong together. Coordinates are rounded as everywhere.',
      example: { lat: [48, 37.5], lng: [11.5, -122.5], region: ['EU', 'NA'], nodes: [2, 1] },
    }),
  })
  .meta({ id: 'PlacesAtStep' });
export type PlacesAtStep = z.infer<typeof PlacesAtStep>;
