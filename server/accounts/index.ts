import * as invitations from './invitations.ts';
import * as ownAccount from './own-account.ts';
import * as reviewers from './reviewers.ts';
import * as signIn from './sign-in.ts';

/** Accounts: who is signed in, what administrators do, and what everybody does with their own. */
export function accountsOf(a: reviewers.Accounts) {
  type Own = Parameters<typeof ownAccount.rename>[1];
  return {
    signedIn: (headers: Headers) => reviewers.signedIn(a, headers),
    signIn: (credentials: { email: string; password: string }, headers: Headers) =>
      signIn.signIn(a, credentials, headers),
    secondFactor: (code: string, headers: Headers) => signIn.secondFactor(a, code, headers),
    waitsForSecondFactor: (headers: Headers) => signIn.waitsForSecondFactor(a, headers),
    signOut: (headers: Headers) => signIn.signOut(a, headers),

    firstLink: () => invitations.firstLink(a),
    invitation: (token: string) => invitations.invitation(a, token),
    join: (token: string, input: unknown) => invitations.join(a, token, input),

    list: () => reviewers.list(a),
    names: () => reviewers.names(a),
    invite: (actor: string, input: unknown) => invitations.invite(a, actor, input),
    renewAccess: (actor: string, email: string) => invitations.renewAccess(a, actor, email),
    withdraw: (change: { actor: string; email: string }) => invitations.withdraw(a, change),
    setRole: (change: Parameters<typeof reviewers.setRole>[1]) => reviewers.setRole(a, change),
    deactivate: (change: { actor: string; email: string }) => reviewers.deactivate(a, change),
    reactivate: (change: { actor: string; email: string }) => reviewers.reactivate(a, change),

    rename: (own: Own, input: unknown) => ownAccount.rename(a, own, input),
    changePassword: (own: Own, input: unknown) => ownAccount.changePassword(a, own, input),
    beginSecondFactor: (own: reviewers.Reviewer, password: string, headers: Headers) =>
      ownAccount.beginSecondFactor(a, own, password, headers),
    confirmSecondFactor: (own: reviewers.Reviewer, code: string, headers: Headers) =>
      ownAccount.confirmSecondFactor(a, own, code, headers),
    newRecoveryCodes: (password: string, headers: Headers) =>
      ownAccount.newRecoveryCodes(a, password, headers),
    endSecondFactor: (password: string, headers: Headers) =>
      ownAccount.endSecondFactor(a, password, headers),
    sessions: (own: Own) => ownAccount.sessions(a, own),
    endSession: (own: Own, id: string) => ownAccount.endSession(a, own, id),
    endOtherSessions: (own: Own) => ownAccount.endOtherSessions(a, own),
  };
}
