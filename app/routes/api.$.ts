import { endpoint } from '#app/lib/rest.server.ts';

/** All other paths below /api: 404 as JSON, for every method. */
const { loader, action } = endpoint({ notFound: true });
export { loader, action };
