import { z } from 'zod';
import { plainText } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { boundedText } from '@mesh-registry/protocol/text.schema.ts';
import { OBJECT, text } from '#server/common/input.schema.ts';
import {
  PASSWORD_MAX,
  PASSWORD_MIN,
  PERSON_NAME_MAX,
  REVIEWER_ROLES,
} from '@mesh-registry/protocol/values.schema.ts';

/** What the forms of accounts send. A field that is not named here is not read: no form can set a role. */

/** Longest address by RFC 5321. */
const EMAIL_MAX = 254;

/** In lower case: one person has one account, however they spell their address. */
export const Email = text(EMAIL_MAX)
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.email('must be an address such as ada@example.org'));

export const PersonName = text(1000)
  .transform((text) => plainText(text).replace(/\s+/g, ' '))
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(PERSON_NAME_MAX, `must be at most ${PERSON_NAME_MAX} characters`),
  );

/** Long, and not too common. Rules about digits and symbols do not make passwords better. */
export const NewPassword = text(PASSWORD_MAX, `must have at most ${PASSWORD_MAX} characters`)
  .min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters; several words work best`)
  .refine((text) => !isCommon(text), 'is too common; choose another one');

export const Role = z.enum(REVIEWER_ROLES, `must be ${REVIEWER_ROLES.join(' or ')}`);

/** What somebody enters who uses a link. The address counts only if the link has none. */
export const Join = z.object({
  name: PersonName.optional(),
  email: Email.optional(),
  password: NewPassword,
});
export type Join = z.output<typeof Join>;

/** Characters; the token of a link has far fewer. */
export const TOKEN_MAX = 256;

/** Any text: one that is no token finds no link. */
export const Token = z.object({ token: boundedText(TOKEN_MAX) }, OBJECT);
export const JoinWithToken = Join.extend(Token.shape);

export const Invite = z.object({ email: Email, role: Role }, OBJECT);
export type Invite = z.output<typeof Invite>;
export const OfAccount = z.object({ email: Email }, OBJECT);
export const SetRole = OfAccount.extend({ role: Role });

export const Rename = z.object({ name: PersonName });
export type Rename = z.output<typeof Rename>;

/** A password to check. One that is too long is refused before it is hashed. */
const CurrentPassword = text(PASSWORD_MAX);

export const ChangePassword = z.object(
  { password: CurrentPassword, newPassword: NewPassword },
  OBJECT,
);
export type ChangePassword = z.output<typeof ChangePassword>;
export const WithPassword = z.object({ password: CurrentPassword }, OBJECT);

/** Any text: the rate limits count wrong attempts by address, whether or not it is a valid one. */
export const SignIn = z.object({ email: text(1000), password: text(1000) }, OBJECT);
/** Of the second factor: six digits, or a recovery code. */
export const Code = z.object({ code: text(100) }, OBJECT);
export const SessionId = z.object({ id: text(64) }, OBJECT);

/** Words in the most common leaked passwords of 12 or more characters. */
const COMMON = [
  'password',
  'passwort',
  'qwerty',
  'qwertyuiop',
  'asdfghjkl',
  'letmein',
  'iloveyou',
  'administrator',
  'admin',
  'welcome',
  'changeme',
  'correcthorsebatterystaple',
  'meshregistry',
  'abcdefghijkl',
];

/** A common word with digits and symbols around it, neighbouring keys, or few different characters. */
function isCommon(password: string): boolean {
  const text = password.toLowerCase();
  const letters = text.replace(/[^a-z]/g, '');
  return (
    new Set(text).size < 5 || /^\d+$/.test(text) || COMMON.some((word) => repeats(letters, word))
  );
}

/** Only the word, once or several times. */
const repeats = (text: string, word: string) =>
  text.length > 0 && text === word.repeat(Math.round(text.length / word.length));
