import type { Change, EventFrame } from '#server/live/index.ts';

/** The changes that a service's stream carries. */
export async function* changesOf<Head, Row>(
  events: AsyncIterable<EventFrame<Head, Row>>,
): AsyncGenerator<Change<Head, Row>> {
  for await (const { id, data } of events)
    yield {
      id,
      ...(JSON.parse(Buffer.concat(data).toString()) as Omit<Change<Head, Row>, 'id'>),
    };
}
