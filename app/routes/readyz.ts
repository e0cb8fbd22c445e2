import { AppError } from '#server/common/errors.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/**
 * GET /readyz: this process can serve. Without the database it still can, from the read model: the answer stays
 * 200 with `degraded`, so that a load balancer does not remove all servers at once.
 */
const { loader, action } = endpoint({
  GET: {
    async handle({ services }) {
      const state = await services.health.ready();
      if (!state.ok)
        throw new AppError(
          'unavailable',
          state.readModel === 'loaded'
            ? 'This server is shutting down.'
            : 'The read model is not loaded yet.',
          { retryAfter: 1 },
        );
      return state;
    },
  },
});
export { loader, action };
