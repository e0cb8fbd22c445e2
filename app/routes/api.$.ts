import { nothingHere } from '#app/lib/rest-endpoint.server.ts';

/** Every other path below /api: 404 as JSON, whatever the method. */
const { loader, action } = nothingHere();
export { loader, action };
