import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { isAppError } from '#server/common/errors.schema.ts';
import { formValues, refusedForm, runIntent } from '#app/lib/form-action.server.ts';
import { safeValues } from '#app/lib/form-error.ts';
import { qrCode, type QrCode } from '#app/lib/qr.server.ts';
import { handleReviewForm } from '../review.server.ts';

/** What an authenticator app needs. */
export interface SecondFactorSetup {
  /** An `otpauth:` address. */
  uri: string;
  /** The secret in it, for typing. */
  key: string;
  qr: QrCode;
}

/** Longer than the address of any account, characters. */
const URI_MAX = 1000;

/**
 * The forms of the reviewer's own second factor. The key and the recovery codes are in these answers only: no URL
 * shows them again.
 */
export function secondFactorAction(args: ActionFunctionArgs) {
  const { own } = args.context.api.review.accounts;
  return handleReviewForm(args, async (form) => {
    const { password = '', code = '', uri = '' } = formValues(form);
    return runIntent(form, {
      begin: async () => ({ setup: setupOf((await own.beginSecondFactor({ password })).uri) }),
      confirm: async () => {
        try {
          return await own.confirmSecondFactor({ code });
        } catch (error) {
          if (!isAppError(error)) throw error;
          args.context.error = error;
          // The form sends the key along, so that a wrong code does not lose it.
          return refusedForm(error, safeValues(form), {
            setup: isSetupUri(uri) ? setupOf(uri) : undefined,
          });
        }
      },
      codes: () => own.newRecoveryCodes({ password }),
      off: async () => {
        await own.endSecondFactor({ password });
        return redirect('/review/account', 303);
      },
    });
  });
}

function setupOf(uri: string): SecondFactorSetup {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  return { uri, key: secret.replace(/.{4}/g, '$& ').trim(), qr: qrCode(uri) };
}

/** The page links to it, so no other scheme is allowed. */
const isSetupUri = (uri: string) =>
  uri.length <= URI_MAX && uri.startsWith('otpauth://totp/') && URL.canParse(uri);
