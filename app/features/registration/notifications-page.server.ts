import { data, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import { ERROR_STATUS, isAppError } from '#server/common/errors.schema.ts';
import { formValues, handleForm, runIntent } from '#app/lib/form-action.server.ts';

/** What the page shows after a form that was accepted. */
export interface NotificationsResult {
  done: 'saved' | 'switched on' | 'switched off' | 'removed' | 'renewed' | 'tested';
  /** A new secret: shown this once. */
  secret: string | null;
  /** How the receiver answered a test. */
  outcome: { delivered: boolean; words: string } | null;
}

/** GET /register/:id/notifications: what the holder of a registration is told, and where. */
export async function loadNotifications({ params, context }: LoaderFunctionArgs) {
  const updatedAt = new Date().toISOString();
  try {
    const found = await context.api.registry.notifications.get({ id: params['id'] ?? '' });
    return { ...found, updatedAt, unavailable: false };
  } catch (error) {
    if (!isAppError(error) || error.code === 'internal') throw error;
    const unavailable = error.code === 'unavailable' || error.code === 'rate_limited';
    const none = { registration: null, settings: null, updatedAt, unavailable };
    return data(none, { status: unavailable ? ERROR_STATUS[error.code] : 404 });
  }
}

/** POST /register/:id/notifications: the page's forms, each with its intent. */
export function changeNotifications(args: ActionFunctionArgs) {
  const { params, context } = args;
  const id = params['id'] ?? '';
  const { notifications } = context.api.registry;
  const result = (
    done: NotificationsResult['done'],
    more: Partial<NotificationsResult> = {},
  ): NotificationsResult => ({ done, secret: null, outcome: null, ...more });
  return handleForm(args, (form) =>
    runIntent(form, {
      async save() {
        // The procedure checks the fields: a form has only texts.
        const input = { ...formValues(form), id } as Parameters<typeof notifications.save>[0];
        return result('saved', await notifications.save(input));
      },
      async test() {
        return result('tested', { outcome: await notifications.test({ id }) });
      },
      async on() {
        await notifications.switch({ id, enabled: true });
        return result('switched on');
      },
      async off() {
        await notifications.switch({ id, enabled: false });
        return result('switched off');
      },
      async renew() {
        return result('renewed', await notifications.renewSecret({ id }));
      },
      async remove() {
        await notifications.remove({ id });
        return result('removed');
      },
    }),
  );
}
