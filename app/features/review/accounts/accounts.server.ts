import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formValues, refusedForm, runIntent } from '#app/lib/form-action.server.ts';
import { safeValues } from '#app/lib/form-error.ts';
import { qrCode, type QrCode } from '#app/lib/qr.server.ts';
import { handleReviewForm, redirectAfter, requireReviewer } from '../review.server.ts';

/** What the pages of accounts load, and what their forms do: one's own account, its second factor, all reviewers. */

/** GET /review/account. */
export async function loadAccount(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { own } = args.context.api.review.accounts;
  const [account, sessions] = await Promise.all([own.get(), own.sessions()]);
  return { ...account, sessions, updatedAt: new Date().toISOString() };
}

/** The forms of the reviewer's own account. */
export function changeAccount(args: ActionFunctionArgs) {
  const { own } = args.context.api.review.accounts;
  return handleReviewForm(args, async (form) => {
    const { name = '', password = '', newPassword = '', session = '' } = formValues(form);
    const thenReload = (done: Promise<void>) => redirectAfter(done, hrefs.review.account());
    return runIntent(form, {
      rename: () => thenReload(own.rename({ name })),
      password: async () => {
        await own.changePassword({ password, newPassword });
        return { passwordChanged: true };
      },
      'end-session': () => thenReload(own.endSession({ id: session })),
      'end-others': () => thenReload(own.endOtherSessions()),
    });
  });
}

/** GET /review/account/second-factor. */
export async function loadSecondFactor(args: LoaderFunctionArgs) {
  const { email, twoFactorEnabled } = await requireReviewer(args);
  return { email, twoFactorEnabled };
}

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
export function changeSecondFactor(args: ActionFunctionArgs) {
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
      off: () => redirectAfter(own.endSecondFactor({ password }), hrefs.review.account()),
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

/** GET /review/reviewers, for administrators. */
export async function loadReviewers(args: LoaderFunctionArgs) {
  const { email } = await requireReviewer(args, 'administrator');
  const { reviewers, links } = await args.context.api.review.accounts.list();
  return { own: email, reviewers, links, updatedAt: new Date().toISOString() };
}

/** The forms of the reviewers' page. New links are in the answer only, where they are shown once. */
export function changeReviewers(args: ActionFunctionArgs) {
  const { accounts } = args.context.api.review;
  const work = async (form: FormData) => {
    const { email = '', role = '' } = formValues(form);
    const thenReload = (done: Promise<void>) => redirectAfter(done, hrefs.review.reviewers());
    return runIntent(form, {
      // The procedure checks the role.
      invite: async () => ({ link: await accounts.invite({ email, role: role as ReviewerRole }) }),
      access: async () => ({ link: await accounts.renewAccess({ email }) }),
      withdraw: () => thenReload(accounts.withdraw({ email })),
      administrator: () => thenReload(accounts.setRole({ email, role: 'administrator' })),
      reviewer: () => thenReload(accounts.setRole({ email, role: 'reviewer' })),
      deactivate: () => thenReload(accounts.deactivate({ email })),
      reactivate: () => thenReload(accounts.reactivate({ email })),
    });
  };
  return handleReviewForm(args, work, { role: 'administrator' });
}
