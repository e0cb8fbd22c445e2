import { AppError } from '../../server/schemas/errors.ts';
import { api } from '../api.server.ts';

const notFound = () =>
  Promise.reject(
    new AppError(
      'not_found',
      'There is nothing at this path. GET /api/openapi.json lists what there is.',
    ),
  );

/** Every other path below /api: 404 as JSON, whatever the method. */
const { loader, action } = api({
  GET: { handle: notFound },
  POST: { maxBytes: 0, allow: notFound, handle: notFound },
});
export { loader, action };
