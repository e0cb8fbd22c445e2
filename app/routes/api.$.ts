import { nothingHere } from '#app/lib/rest-endpoint.server.ts';

/** All other paths below /api: 404 as JSON, for every method. */
const { loader, action } = nothingHere();
export { loader, action };
