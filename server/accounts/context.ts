import type { Db } from '#db/client.ts';
import type { ReviewerRole } from '@mesh-registry/protocol/values.schema.ts';
import type { Auth } from './auth.ts';
import type { KnownBrowsers } from './known-browsers.ts';

/** The first argument of the functions of accounts. */
export interface AccountsContext {
  readonly db: Db;
  readonly auth: Auth;
  readonly browsers: KnownBrowsers;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Who is signed in. */
export interface Reviewer {
  id: string;
  name: string;
  /** In lower case; the history names them by it. */
  email: string;
  role: ReviewerRole;
  twoFactorEnabled: boolean;
  /** Of the session of this request. */
  sessionId: string;
}
