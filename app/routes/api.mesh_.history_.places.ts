import { PlaceHistoryQuery } from '@mesh-registry/protocol/rest/history.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh/history/places: the steps of the last day or 90 days, or where nodes were in one of them. */
const { loader, action } = endpoint({
  GET: {
    query: PlaceHistoryQuery,
    list: ({ at }) => at === undefined,
    async handle({ services, limits, client }, { query: { days, at } }) {
      if (at === undefined) return services.uptime.placeSteps(days);
      limits.countLookup(client());
      return services.uptime.placesAt(days, Date.parse(at));
    },
  },
});
export { loader, action };
